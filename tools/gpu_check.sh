#!/usr/bin/env bash
# Generated CUDA code, run on a GPU and compared with the library on the CPU, for many random states.
#     tools/gpu_check.sh                     all of it, where both the program (build/armature) and a GPU are
#     tools/gpu_check.sh prepare FOLDER      writes sources, states and expected results (needs build/armature)
#     tools/gpu_check.sh run FOLDER          compiles and runs them there (needs nvcc and a GPU only)
# $ARMATURE is the program, $NVCC the compiler, $ARMS the arms.
set -euo pipefail
armature=${ARMATURE:-build/armature}
arms=${ARMS:-"rrr ur5 panda"}
states=1000

prepare() {
  mkdir -p "$1"
  for arm in $arms; do
    "$armature" derive "$arm" --what inverse-dynamics,forward-dynamics,mass-matrix --lang cuda --effort 0.2 -o "$1/$arm.cuh"
    local n
    n=$("$armature" show "$arm" --json | python3 -c 'import json,sys; print(len([j for j in json.load(sys.stdin)["joints"] if j.get("type") != "fixed"]))')
    echo "$n" >"$1/$arm.joints"
    python3 - "$n" "$states" >"$1/$arm.states.csv" <<'PY'
import random, sys
n, count = int(sys.argv[1]), int(sys.argv[2])
random.seed(1)
print(",".join(f"{c}{i + 1}" for c in ("q", "v", "a", "tau") for i in range(n)))
for _ in range(count):
    print(",".join(repr(random.uniform(-3, 3)) for _ in range(4 * n)))
PY
    "$armature" compute inverse-dynamics "$arm" --in "$1/$arm.states.csv" --out "$1/$arm.tau.csv" 2>/dev/null
    "$armature" compute mass-matrix "$arm" --in "$1/$arm.states.csv" --out "$1/$arm.M.csv" 2>/dev/null
    cat >"$1/$arm.cu" <<CU
#include "$arm.cuh"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
constexpr int n = $n, N = $states;
__global__ void dynamics(const double* x, double* tau, double* M, double* back) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= N) return;
  const double* s = x + 4 * n * k;  // q, v, a, tau
  ${arm}_inverse_dynamics(s, s + n, s + 2 * n, tau + n * k);
  ${arm}_mass_matrix(s, M + n * n * k);
  ${arm}_forward_dynamics(s, s + n, tau + n * k, back + n * k);
}
static std::vector<double> table(const char* name, int columns) {
  std::FILE* f = std::fopen(name, "r");
  if (!f) { std::printf("%s is missing\n", name); std::exit(2); }
  while (std::fgetc(f) != '\n') {}
  std::vector<double> all(static_cast<size_t>(columns) * N);
  for (double& x : all) if (std::fscanf(f, "%lf%*1[,\n]", &x) < 1) { std::printf("%s is short\n", name); std::exit(2); }
  std::fclose(f);
  return all;
}
static double error(const std::vector<double>& a, const std::vector<double>& b, int size) {  // ‖a-b‖ / max(1, ‖b‖), state by state
  double worst = 0;
  for (int k = 0; k < N; ++k) {
    double d = 0, s = 1;
    for (int i = 0; i < size; ++i) {
      const size_t j = static_cast<size_t>(k) * size + i;
      d = std::fmax(d, std::fabs(a[j] - b[j])), s = std::fmax(s, std::fabs(b[j]));
      if (a[j] != a[j]) d = INFINITY;
    }
    worst = std::fmax(worst, d / s);
  }
  return worst;
}
int main() {
  const std::vector<double> x = table("$arm.states.csv", 4 * n), tau = table("$arm.tau.csv", n), M = table("$arm.M.csv", n * n);
  double *dx, *dtau, *dM, *dback;
  cudaMalloc(&dx, x.size() * 8), cudaMalloc(&dtau, tau.size() * 8), cudaMalloc(&dM, M.size() * 8), cudaMalloc(&dback, tau.size() * 8);
  cudaMemcpy(dx, x.data(), x.size() * 8, cudaMemcpyHostToDevice);
  dynamics<<<(N + 127) / 128, 128>>>(dx, dtau, dM, dback);
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) { std::printf("$arm: %s\n", cudaGetErrorString(status)); return 3; }
  std::vector<double> gtau(tau.size()), gM(M.size()), back(tau.size()), residual(tau.size()), zero(tau.size());
  cudaMemcpy(gtau.data(), dtau, gtau.size() * 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(gM.data(), dM, gM.size() * 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(back.data(), dback, back.size() * 8, cudaMemcpyDeviceToHost);
  for (int k = 0; k < N; ++k)  // forward undoes inverse dynamics: M (back - a), against the torques
    for (int i = 0; i < n; ++i) {
      double r = 0, size = 1;
      for (int j = 0; j < n; ++j) r += M[(static_cast<size_t>(k) * n + i) * n + j] * (back[static_cast<size_t>(k) * n + j] - x[4 * n * k + 2 * n + j]);
      for (int j = 0; j < n; ++j) size = std::fmax(size, std::fabs(tau[static_cast<size_t>(k) * n + j]));
      residual[static_cast<size_t>(k) * n + i] = r / size;
    }
  const double e1 = error(gtau, tau, n), e2 = error(gM, M, n * n), e3 = error(residual, zero, n);
  const bool good = e1 < 1e-12 && e2 < 1e-12 && e3 < 1e-11;
  std::printf("$arm on the GPU, %d states: inverse dynamics %.1e, mass matrix %.1e, forward after inverse %.1e: %s\n", N, e1, e2, e3,
              good ? "equal" : "DIFFERENT");
  return good ? 0 : 1;
}
CU
  done
}

run() {
  local nvcc=${NVCC:-nvcc} failed=0
  command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
  command -v "$nvcc" >/dev/null || { echo "no nvcc here"; exit 2; }
  cd "$1"
  for source in *.cu; do
    "$nvcc" -O2 -std=c++17 -o "${source%.cu}.run" "$source"
    "./${source%.cu}.run" || failed=1
  done
  return $failed
}

case "${1:-all}" in
prepare) prepare "$2" ;;
run) run "$2" ;;
all)
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  prepare "$folder"
  run "$folder"
  ;;
*) sed -n 2,6p "$0"; exit 2 ;;
esac
