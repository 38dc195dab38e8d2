#!/usr/bin/env bash
# browser.sh: prints the path of a browser of Chromium's family, wherever it comes from; leaves with 1 where there is none.
# $CHROME or $CHROME_PATH decides alone where it is set. A browser counts if it tells its version: Ubuntu's chromium-browser
# without its snap is a script that only says how to get one.
works() { timeout 30 "$1" --version >/dev/null 2>&1; }

chosen=${CHROME:-${CHROME_PATH:-}}
if [ -n "$chosen" ]; then
  path=$(command -v "$chosen") && works "$path" && echo "$path" && exit
  echo "browser.sh: CHROME or CHROME_PATH names '$chosen', which is not a browser that runs" >&2
  exit 1
fi
for name in chromium chromium-browser google-chrome google-chrome-stable /snap/bin/chromium /opt/google/chrome/chrome \
  "${HOME:-/}"/.cache/ms-playwright/chromium-*/chrome-linux*/chrome; do
  path=$(command -v "$name") && works "$path" && echo "$path" && exit
done
exit 1
