#!/usr/bin/env bash
# Everything that can be said about the text without running it. Called by ./dev check [changed|all].
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit

files() { # sources to look at: all, or what differs from main (on main itself: from the commit before)
  if [ "$1" = all ]; then
    git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp'
  else
    local base
    base=$(git merge-base HEAD main 2>/dev/null) || base=HEAD
    [ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse -q --verify HEAD~) || base=HEAD
    git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.hpp'
    git ls-files --others --exclude-standard -- '*.cpp' '*.hpp'
  fi | sort -u
}

failed=()
step() { # step NAME COMMAND...
  echo "== $1"
  "${@:2}" || failed+=("$1")
}
all=$(files all)
looked_at=$(files "$1" | grep '\.cpp$')
layout() { xargs -r clang-format --dry-run -Werror <<<"$all"; }
# clang cannot read what g++ precompiled, and looks at one file at a time: the commands without the one and without batches.
commands_for_clang() {
  cmake --preset dev -B build/tidy -DARMATURE_BATCHES=OFF >/dev/null || return
  sed -i -E 's# -include [^ ]*cmake_pch\.hxx##; s# -fpch-preprocess##g; s# -Winvalid-pch##; s# --param=[^ ]*##' build/tidy/compile_commands.json
}
tidy() {
  commands_for_clang
  xargs -r -P "$(nproc)" -n 1 clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option <<<"$looked_at" 2>/dev/null
}

step layout layout
step layers python3 tools/check_layers.py .
step definitions python3 tools/check_definitions.py .
step settings python3 tools/check_settings.py .
step "front door" python3 tools/check_front_door.py .
step headers python3 tools/check_headers.py build
step "clang-tidy ($(grep -c . <<<"$looked_at") files)" tidy

[ ${#failed[@]} = 0 ] || { echo "check: failed:" "${failed[@]}"; exit 1; }
echo "check: all good"
