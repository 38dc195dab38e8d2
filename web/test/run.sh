#!/usr/bin/env bash
# run.sh TEST...: runs tests of the page with node; leaves with 77 where node, its packages or a browser are missing.
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
command -v node >/dev/null || { echo "SKIP: no node here (apt install nodejs npm)"; exit 77; }
[ "$(node -p 'process.versions.node.split(".")[0] >= 18')" = true ] || { echo "SKIP: node $(node --version) is older than 18"; exit 77; }
[ -d node_modules/vite ] && [ -d node_modules/playwright-core ] && [ -d node_modules/prettier ] || { echo "SKIP: the packages of web/ are not here (npm ci in web/)"; exit 77; }
if [ "$1" = frames ] && [ ! -d ../../shared/robots ]; then
  echo "SKIP: ../shared/robots is absent"
  exit 77
fi
if [ "$1" = page ] || [ "$1" = frames ]; then
  CHROME=$(./browser.sh) || { echo "SKIP: no browser here (apt install chromium, or name one in CHROME)"; exit 77; }
  export CHROME
fi
exec node --test "test/$1.test.mjs"
