#!/usr/bin/env bash
# Speed on a GPU: torques of many states beside the bandwidth of a copy, and closed loops (tools/gpu/bench.cu).
#     tools/gpu_bench.sh                     all of it, where both the program (build/armature) and a GPU are
#     tools/gpu_bench.sh prepare FOLDER      writes the sources into one folder (needs build/armature)
#     tools/gpu_bench.sh run FOLDER          compiles and runs them there (needs nvcc and a GPU only)
#     tools/gpu_bench.sh run FOLDER 3e8 0.1 1e9  how seldom a Panda leaves 0.1 rad, from so many runs, number 1e9 first
# $ARMATURE is the program, $NVCC the compiler.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
armature=${ARMATURE:-build/armature}

prepare() {
  mkdir -p "$1"
  cp "$here/gpu/bench.cu" "$here/../src/armature/codegen/rollout.hpp" "$1"
  for arm in rrr ur5 panda; do
    "$armature" derive "$arm" --what inverse-dynamics,forward-dynamics,gravity --lang cuda -o "$1/$arm.cuh"
  done
}

run() {
  local nvcc=${NVCC:-nvcc}
  command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
  command -v "$nvcc" >/dev/null || { echo "no nvcc here"; exit 2; }
  "$nvcc" -O3 -std=c++17 -arch="${CUDA_ARCH:-native}" ${SHOW_REGISTERS:+-Xptxas -v} -o "$1/bench" "$1/bench.cu"
  "$1/bench" "${@:2}"
}

case "${1:-all}" in
prepare) prepare "$2" ;;
run) run "${@:2}" ;;
all)
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  prepare "$folder"
  run "$folder"
  ;;
*) sed -n 2,7p "$0"; exit 2 ;;
esac
