#!/usr/bin/env bash
# Speed on a GPU: torques of many states beside the bandwidth of a copy, closed loops, and a campaign of a million runs.
#     tools/gpu_bench.sh                     all of it, where both the program (build/armature) and a GPU are
#     tools/gpu_bench.sh prepare FOLDER      puts the program, its libraries and sources into one folder (needs build/armature)
#     tools/gpu_bench.sh run FOLDER          compiles and runs them there (needs nvcc and a GPU only)
#     tools/gpu_bench.sh run FOLDER 3e8 0.4  how seldom a joint of the Panda is 0.4 rad off, from so many runs
# $ARMATURE is the program, $NVCC the compiler, $CUDA_ARCH the card's architecture (default: native), $NVCC_FLAGS what else nvcc is told.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
armature=${ARMATURE:-build/armature}

prepare() {
  mkdir -p "$1/lib"
  cp "$here"/gpu/*.cu "$here"/gpu/*.yaml "$here/gpu_bench.sh" "$1"
  for arm in rrr ur5 panda; do
    "$armature" derive "$arm" --what inverse-dynamics --lang cuda -o "$1/$arm.cuh"
  done
  "$armature" campaign "$here/gpu/panda.yaml" --device source -o "$1/semi_implicit_euler"
  "$armature" campaign "$here/gpu/panda.yaml" --device source --set run.method=rk4 -o "$1/rk4"
  # the program with all that it is linked with, its loader too: it starts on machines with another C library
  cp "$armature" "$1/lib/armature"
  ldd "$armature" | grep -o '/[^ ]*' | while read -r library; do cp -L "$library" "$1/lib/"; done
  local c_library
  c_library=$(dirname "$(ldd "$armature" | grep -o '/[^ ]*libc\.so\.6')")
  for name in libdl.so.2 libpthread.so.0 librt.so.1; do cp -L "$c_library/$name" "$1/lib/"; done  # what nvcc links with
  cat >"$1/armature" <<'SH'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" "$here/lib/armature" "$@"
SH
  chmod +x "$1/armature"
  du -sh "$1"
}

find_nvcc() {
  nvcc=${NVCC:-nvcc}
  command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
  command -v "$nvcc" >/dev/null || { echo "no nvcc here"; exit 2; }
}

run() {
  local nvcc
  find_nvcc
  local flags=(-O3 -std=c++17 -arch="${CUDA_ARCH:-native}" ${SHOW_REGISTERS:+-Xptxas -v} ${NVCC_FLAGS:-})
  cd "$1"
  "$nvcc" "${flags[@]}" -o loops_semi_implicit_euler -DKERNEL='"semi_implicit_euler/kernel.cu"' loops.cu &
  local first=$!
  if [ $# -gt 1 ]; then
    wait "$first"
    ./loops_semi_implicit_euler "${@:2}"
    return
  fi
  "$nvcc" "${flags[@]}" -o loops_rk4 -DKERNEL='"rk4/kernel.cu"' loops.cu &
  local second=$!
  "$nvcc" "${flags[@]}" -o bench bench.cu
  wait "$first"
  wait "$second"
  ./bench
  for step in semi_implicit_euler rk4; do
    echo
    echo "closed loops of the Panda, $step: PD with gravity, friction, limits, encoder and noise; a tick is one step"
    "./loops_$step"
  done
  echo
  if ! ./armature --version; then
    echo "the program does not start here: no campaign"
    return
  fi
  export ARMATURE_CACHE=$PWD/cache NVCC=$nvcc
  echo "a campaign of a million runs: compiled, and again with the kernel kept"
  for time in first again; do
    rm -rf "out_$time"
    local begin end
    begin=$(date +%s.%N)
    ./armature campaign panda.yaml -o "out_$time" --device cuda >"out_$time.txt" || { cat "out_$time.txt"; exit 1; }
    end=$(date +%s.%N)
    echo "  $time: $(echo "$end $begin" | awk '{printf "%.2f", $1 - $2}') s"
  done
  cat out_again.txt
  rm -rf out_threads
  ./armature campaign panda.yaml -o out_threads --runs 500 >out_threads.txt
  ./bench compare out_again/runs.npy out_threads/runs.npy
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
