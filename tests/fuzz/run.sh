#!/usr/bin/env bash
# tests/fuzz/run.sh BUILD SECONDS [TARGET...]: fuzz every target for SECONDS, one per core at a time; what was found is kept in the
# build's corpus, so that the next run goes on from there. Ends with executions and findings per target; exit code 1 on a finding.
set -euo pipefail
build=$(readlink -f "$1") seconds=$2
shift 2
source=$(readlink -f "$(dirname "$0")/../..")
begin=$build/tests/fuzz/begin corpus=$build/corpus out=$build/findings
mkdir -p "$begin" "$out"
"$build/fuzz_seeds" "$source" "$begin"
if [ $# = 0 ]; then # every target that was built
  for program in "$build"/fuzz_*; do [ "${program##*/}" = fuzz_seeds ] || set -- "$@" "${program##*/fuzz_}"; done
fi

one() { # TARGET; the rest comes from the environment
  local longest=20000 folders=("$corpus/$1" "$begin/seeds/$1")
  mkdir -p "$corpus/$1" "$out/$1"
  [ ! -d "$source/tests/fuzz/regressions/$1" ] || folders+=("$source/tests/fuzz/regressions/$1")
  [ "$1" != quantity ] || longest=200
  rm -f "$out/$1"/*
  nice "$build/fuzz_$1" -max_total_time="$seconds" -dict="$begin/$1.dict" -artifact_prefix="$out/$1/" -max_len=$longest -timeout=20 \
    -rss_limit_mb=2500 -print_final_stats=1 "${folders[@]}" >"$out/$1.log" 2>&1 || true
}
export -f one
export build seconds source begin corpus out
export ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c 'one {}'

found=0
printf '%-10s %12s %9s\n' target executions findings
for target in "$@"; do
  runs=$(awk '/number_of_executed_units/ {print $2}' "$out/$target.log")
  kept=$(find "$out/$target" -type f | wc -l)
  [ -n "$runs" ] || { runs='?'; [ "$kept" -gt 0 ] || kept=1; } # it did not come to its end
  printf '%-10s %12s %9s\n' "$target" "$runs" "$kept"
  [ "$kept" = 0 ] || { found=1; grep -hE 'ERROR|runtime error|terminate|what\(\)|SUMMARY' "$out/$target.log" | head -5 | sed 's/^/    /'; }
done
if [ $found = 1 ]; then
  echo "Inputs that failed lie in $out; copy each to tests/fuzz/regressions/TARGET once it is mended." >&2
fi
exit $found
