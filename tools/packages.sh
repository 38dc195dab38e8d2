#!/usr/bin/env bash
# Installs what is missing of tools/packages.txt:   packages.sh SECTION... [-- SECTION...]
#
# Without the packages of the first sections it leaves with 2 and a sentence that says what to run. Those behind `--` are
# optional: what cannot be had of them is said, with the reason, and stops nothing.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
web=$here/../web

# names SECTION: its packages.
names() {
  awk -v section="[$1]" '/^\[/ {use = $1 == section} /^[a-z]/ && use {print $1}' "$here/packages.txt"
}

# there PACKAGE: a program counts wherever it comes from, a library if its package is installed.
there() {
  case $1 in
    nodejs) command -v node ;;
    npm) command -v npm || [ "$web/node_modules/.package-lock.json" -nt "$web/package-lock.json" ] ;;
    chromium) "$web/browser.sh" ;;
    ninja-build) command -v ninja ;;
    octave) command -v octave-cli ;;
    cmake | ccache | git | clang-format | clang-tidy | file) command -v "$1" ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1")" = installed ] ;;
  esac >/dev/null 2>&1
}

# missing PACKAGE...: those of them that are not there.
missing() {
  local package
  for package in "$@"; do there "$package" || echo "$package"; done
}

say() { echo "dev: $*" >&2; }
apt_line() { echo "    apt-get update && apt-get install -y --no-install-recommends $*" >&2; }

needed=() optional=()
while [ $# != 0 ] && [ "$1" != -- ]; do
  mapfile -t -O ${#needed[@]} needed < <(names "$1")
  shift
done
for section in "${@:2}"; do
  mapfile -t -O ${#optional[@]} optional < <(names "$section")
done
if ! command -v dpkg-query >/dev/null; then
  say "no dpkg here; taking for granted what tools/packages.txt lists"
  exit
fi
mapfile -t needed < <(missing "${needed[@]}")
mapfile -t optional < <(missing "${optional[@]}")
all=("${needed[@]}" "${optional[@]}")
[ ${#all[@]} != 0 ] || exit 0

# Together where that works; else one by one, so that a package that cannot be had stops no other.
declare -A reason
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
if [ ${#as_root[@]} = 0 ] || sudo true 2>/dev/null; then # asks for a password once, if at all
  say "installing ${all[*]}"
  install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300)
  "${as_root[@]}" apt-get update -qq >/dev/null 2>&1 || say "the lists of packages cannot be brought up to date"
  if ! "${install[@]}" "${all[@]}" >/dev/null 2>&1; then
    for package in "${all[@]}"; do
      there "$package" || said=$("${install[@]}" "$package" 2>&1) ||
        reason[$package]=$(grep -m 1 '^E: ' <<<"$said" || tail -n 1 <<<"$said")
    done
  fi
  mapfile -t needed < <(missing "${needed[@]}")
  mapfile -t optional < <(missing "${optional[@]}")
  for package in "${needed[@]}" "${optional[@]}"; do say "$package cannot be installed: ${reason[$package]:-unknown reason}"; done
else
  say "packages are missing, and neither root nor sudo is here to install them"
fi

if [ ${#optional[@]} != 0 ]; then
  say "${optional[*]}: only some tests need these, and are skipped without. As root:"
  apt_line "${optional[@]}"
fi
if [ ${#needed[@]} != 0 ]; then
  say "nothing can be built without ${needed[*]}. Let root run this, then start ./dev again"
  apt_line "${needed[@]}"
  say "(with these libraries from elsewhere, build without ./dev: cmake --preset dev && cmake --build build)"
  exit 2
fi
