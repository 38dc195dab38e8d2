#!/usr/bin/env bash
# Runs all scenarios with two builds of the program and compares their logs byte for byte.
#   tools/same_bits.sh build/armature build-clang/armature
# where the second was made, for example, with
#   CXX=clang++ cmake -S . -B build-clang -G Ninja -DCMAKE_BUILD_TYPE=Release && ninja -C build-clang armature_program
set -euo pipefail
[ $# -eq 2 ] || { sed -n 2,5p "$0"; exit 2; }
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
different=0
for scenario in scenarios/*.yaml; do
  for k in 1 2; do
    "${!k}" simulate "$scenario" -o "$out/$k" > /dev/null
  done
  if diff -rq --exclude='*.html' --exclude='report.json' "$out/1" "$out/2" > /dev/null; then
    echo "same       $scenario"
  else
    echo "different  $scenario"
    different=1
  fi
  rm -rf "$out/1" "$out/2"
done
exit $different
