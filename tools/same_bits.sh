#!/usr/bin/env bash
# Runs scenarios with two builds of the program and compares their logs byte for byte.
#   tools/same_bits.sh build/armature build-clang/armature
# where the second was made, for example, with
#   CXX=clang++ cmake -S . -B build-clang -G Ninja -DCMAKE_BUILD_TYPE=Release && ninja -C build-clang armature_program
set -euo pipefail
[ $# -eq 2 ] || { sed -n 2,5p "$0"; exit 2; }
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
different=0
# rigid with friction and an encoder; sticking; contact; noise and observer; Cartesian impedance; learning
for name in rrr_pid puma560_stick rrr_wall rpr_admittance ur5e_hybrid_force_position rrr_observer_and_guard \
            panda_cartesian_impedance rrr_adaptive; do
  for k in 1 2; do
    "${!k}" simulate "scenarios/$name.yaml" --set run.log_every=1 -o "$out/$k" > /dev/null
  done
  if diff -rq --exclude='*.html' --exclude='report.json' "$out/1" "$out/2" > /dev/null; then
    echo "same       $name"
  else
    echo "different  $name"
    different=1
  fi
  rm -rf "$out/1" "$out/2"
done
exit $different
