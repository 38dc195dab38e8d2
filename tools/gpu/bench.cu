// What one graphics processor does with the functions that `armature derive --lang cuda` writes: torques of many states beside the
// bandwidth of a plain copy. Compiled and run by tools/gpu_bench.sh.
#include <algorithm>
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "panda.cuh"
#include "rrr.cuh"
#include "ur5.cuh"

static void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}

#define ARM(Name, joints, prefix)                                                                       \
  struct Name {                                                                                         \
    static constexpr int n = joints;                                                                    \
    static constexpr const char* name = #prefix;                                                        \
    template <class T>                                                                                  \
    __host__ __device__ static void inverse_dynamics(const T* q, const T* qd, const T* qdd, T* tau) {   \
      prefix##_inverse_dynamics(q, qd, qdd, tau);                                                       \
    }                                                                                                   \
  };
ARM(Rrr, 3, rrr)
ARM(Ur5, 6, ur5)
ARM(Panda, 7, panda)

/// The shortest of several runs, after one to warm up [s].
template <class F>
double seconds(F launch, int times = 5) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
cudaEventCreate(&end);
  double best = 1e300;
  for (int k = 0; k <= times; ++k) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    must(cudaEventSynchronize(end), "kernel");
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (k > 0) best = std::min(best, 1e-3 * ms);
  }
  return best;
}

template <class T>
__global__ void fill(T* x, long count) {
  for (long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; k < count; k += static_cast<long>(gridDim.x) * blockDim.x)
    x[k] = static_cast<T>((k * 2654435761L) % 2000) * T(1e-3) - T(1);
}

__global__ void copy(const double2* __restrict__ from, double2* __restrict__ to, long count) {
  for (long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; k < count; k += static_cast<long>(gridDim.x) * blockDim.x)
    to[k] = from[k];
}

/// Structure of arrays: number i of state k stands at i * count + k.
template <class Model, class T>
__global__ void __launch_bounds__(128) torques(const T* __restrict__ x, T* __restrict__ out, long count) {
  constexpr int n = Model::n;
  const long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (k >= count) return;
  T q[n], qd[n], qdd[n], tau[n];
  _Pragma("unroll")
  for (int i = 0; i < n; ++i)
    q[i] = x[i * count + k], qd[i] = x[(n + i) * count + k], qdd[i] = x[(2 * n + i) * count + k];
  Model::inverse_dynamics(q, qd, qdd, tau);
  _Pragma("unroll")
  for (int i = 0; i < n; ++i) out[i * count + k] = tau[i];
}

template <class Model, class T>
void bandwidth(double* memory, long bytes, double copied) {
  constexpr int n = Model::n;
  const long count = bytes / static_cast<long>(sizeof(T)) / (4 * n) / 128 * 128;
  T* x = reinterpret_cast<T*>(memory);
  fill<<<2048, 256>>>(x, 3 * n * count);
  const double t = seconds([&] { torques<Model, T><<<static_cast<unsigned>(count / 128), 128>>>(x, x + 3 * n * count, count); });
  const double moved = 4.0 * n * sizeof(T) * static_cast<double>(count) / t;
  std::vector<T> host(4 * n), tau(n);
  double worst = 0;
  for (long k = 0; k < count; k += count / 97) {
    for (int i = 0; i < 4 * n; ++i) cudaMemcpy(&host[i], x + i * count + k, sizeof(T), cudaMemcpyDeviceToHost);
    Model::inverse_dynamics(host.data(), host.data() + n, host.data() + 2 * n, tau.data());
    for (int i = 0; i < n; ++i) worst = std::max(worst, std::abs(double(tau[i]) - double(host[3 * n + i])) / std::max(1.0, std::abs(double(tau[i]))));
  }
  std::printf("  %-6s %-7s %9.3g states/s  %6.2f TB/s  %5.1f %% of copy   CPU differs by %.0e\n", Model::name, sizeof(T) == 8 ? "double" : "float",
              static_cast<double>(count) / t, 1e-12 * moved, 100 * moved / copied, worst);
  if (worst > (sizeof(T) == 8 ? 1e-12 : 1e-4)) std::exit(1);
}

/// The rows of runs.npy: how far two tables of a campaign are from each other, in the first rows of both.
struct Table {
  std::vector<std::string> names;
  std::vector<double> numbers;
  explicit Table(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    unsigned char start[12];
    if (!file || std::fread(start, 1, 12, file) != 12) {
      std::printf("%s cannot be read\n", path);
      std::exit(2);
    }
    std::string header(start[8] + 256u * start[9] + 65536u * start[10], ' ');
    if (std::fread(&header[0], 1, header.size(), file) != header.size()) std::exit(2);
    for (size_t at = header.find("('"); at != std::string::npos; at = header.find("('", at + 1))
      names.push_back(header.substr(at + 2, header.find('\'', at + 2) - at - 2));
    std::vector<double> block(names.size() * 4096);
    while (const size_t got = std::fread(block.data(), sizeof(double), block.size(), file))
      numbers.insert(numbers.end(), block.begin(), block.begin() + got);
    std::fclose(file);
  }
};
int compare(const char* one, const char* other) {
  const Table a(one), b(other);
  if (a.names != b.names) return 2;
  const size_t columns = a.names.size(), rows = std::min(a.numbers.size(), b.numbers.size()) / columns;
  double worst = 0;
  std::string where = "none";
  for (size_t k = 0; k < rows * columns; ++k) {
    const double x = a.numbers[k], y = b.numbers[k];
    if (x == y || (x != x && y != y)) continue;
    const double difference = std::abs(x - y) / std::max(1e-3, std::abs(y));
    if (difference <= worst) continue;
    worst = difference;
    where = a.names[k % columns];
  }
  std::printf("%zu runs, %zu columns: they differ by at most %.1e (%s)\n", rows, columns, worst, where.c_str());
  return worst < 1e-9 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc == 4) return compare(argv[2], argv[3]);
  cudaDeviceProp card;
  must(cudaGetDeviceProperties(&card, 0), "no graphics processor");
  std::printf("%s, %d multiprocessors\n", card.name, card.multiProcessorCount);
  const long bytes = 8L << 30;
  double* memory;
  must(cudaMalloc(&memory, bytes), "memory");
  fill<<<2048, 256>>>(memory, bytes / 16);
  double2* halves = reinterpret_cast<double2*>(memory);
  const long half = bytes / 32;
  const double copied = bytes / seconds([&] { copy<<<static_cast<unsigned>(card.multiProcessorCount * 16), 512>>>(halves, halves + half, half); });
  const double plain = bytes / seconds([&] { cudaMemcpyAsync(halves + half, halves, half * 16, cudaMemcpyDeviceToDevice); });
  const double best = std::max(copied, plain);
  std::printf("copy: %.2f TB/s by a kernel, %.2f TB/s by cudaMemcpy\n\ninverse dynamics\n", 1e-12 * copied, 1e-12 * plain);
  bandwidth<Rrr, double>(memory, bytes, best);
  bandwidth<Rrr, float>(memory, bytes, best);
  bandwidth<Ur5, double>(memory, bytes, best);
  bandwidth<Ur5, float>(memory, bytes, best);
  bandwidth<Panda, double>(memory, bytes, best);
  bandwidth<Panda, float>(memory, bytes, best);
  return 0;
}
