// What one graphics processor does with the functions that `armature derive --lang cuda` writes: torques of many states beside the
// bandwidth of a plain copy, and closed loops beside the same loops on the CPU. Compiled and run by tools/gpu_bench.sh.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "panda.cuh"
#include "rollout.hpp"
#include "rrr.cuh"
#include "ur5.cuh"

using namespace armature_rollout;

static void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}

#define ARM(Name, joints, prefix)                                                                                      \
  struct Name {                                                                                                        \
    static constexpr int n = joints;                                                                                   \
    static constexpr const char* name = #prefix;                                                                       \
    template <class T>                                                                                                 \
    ARMATURE_DEVICE static void forward_dynamics(const T* q, const T* qd, const T* tau, T* qdd) {                      \
      prefix##_forward_dynamics(q, qd, tau, qdd);                                                                      \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    ARMATURE_DEVICE static void inverse_dynamics(const T* q, const T* qd, const T* qdd, T* tau) {                      \
      prefix##_inverse_dynamics(q, qd, qdd, tau);                                                                      \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    ARMATURE_DEVICE static void gravity(const T* q, T* tau) {                                                          \
      prefix##_gravity(q, tau);                                                                                        \
    }                                                                                                                  \
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
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i)
    q[i] = x[i * count + k], qd[i] = x[(n + i) * count + k], qdd[i] = x[(2 * n + i) * count + k];
  Model::inverse_dynamics(q, qd, qdd, tau);
  ARMATURE_UNROLL
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

/// Each run has its own friction, start and noise; a number of the run decides them.
template <class T, int n>
ARMATURE_DEVICE Run<T, n> draw(std::uint64_t number) {
  Noise own{number * 0x9e3779b97f4a7c15ULL + 1};
  Run<T, n> run{};
  own.normal<n>(run.q);
  for (int i = 0; i < n; ++i) run.q[i] *= T(0.01);
  run.friction = T(0.7 + 0.6 * own.uniform());
  run.seed = number;
  return run;
}

template <Law law, Step step, class Model, class T>
__global__ void __launch_bounds__(128) loops(const __grid_constant__ Loop<T, Model::n> loop, const T* __restrict__ reference, std::uint64_t first, long count,
                                             T bound, Figures<T>* figures, unsigned long long* failed) {
  const long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (k >= count) return;
  Run<T, Model::n> run = draw<T, Model::n>(first + static_cast<std::uint64_t>(k));
  const Figures<T> f = roll<law, step, Model>(loop, run, reference);
  if (figures) figures[k] = f;
  if (!(f.largest_error < bound)) atomicAdd(failed, 1ULL);
}

template <class Model, class T>
Loop<T, Model::n> pd_loop(int ticks) {
  Loop<T, Model::n> loop{};
  for (int i = 0; i < Model::n; ++i) {
    const bool strong = i < Model::n - 3 || Model::n == 3;
    loop.kp[i] = strong ? 600 : 60;
loop.kd[i] = strong ? 50 : 5;
loop.limit[i] = strong ? 87 : 12;
loop.per_limit[i] = 1 / loop.limit[i];
    loop.coulomb[i] = T(strong ? 0.5 : 0.2);
loop.viscous[i] = T(strong ? 0.3 : 0.1);
  }
  loop.per_width = 100;
loop.encoder = T(1e-5);
loop.per_encoder = T(1e5);
loop.position_noise = T(1e-5);
loop.tick = T(1e-3);
loop.ticks = ticks;
  return loop;
}

template <class T, int n>
std::vector<T> motion(int ticks) {
  std::vector<T> table;
  for (int k = 0; k <= ticks; ++k) {
    const double x = std::min(1.0, 1.25 * k / ticks), T_s = 0.8e-3 * ticks;
    for (int i = 0; i < n; ++i) table.push_back(T((i % 2 ? -0.5 : 0.6) * x * x * x * (10 - 15 * x + 6 * x * x)));
    for (int i = 0; i < n; ++i) table.push_back(T((i % 2 ? -0.5 : 0.6) / T_s * 30 * x * x * (1 - x) * (1 - x)));
    for (int i = 0; i < n; ++i) table.push_back(T((i % 2 ? -0.5 : 0.6) / (T_s * T_s) * 60 * x * (1 - x) * (1 - 2 * x)));
  }
  return table;
}

template <Step step, class Model, class T>
void closed_loops(const char* how, long count, bool noisy, double* memory) {
  constexpr int ticks = 1000, n = Model::n;
  Loop<T, n> loop = pd_loop<Model, T>(ticks);
  if (!noisy) loop.position_noise = loop.encoder = 0;
  const std::vector<T> table = motion<T, n>(ticks);
  T* reference = reinterpret_cast<T*>(memory);
  Figures<T>* figures = reinterpret_cast<Figures<T>*>(memory + (1 << 20));
  unsigned long long* failed = reinterpret_cast<unsigned long long*>(memory + (1 << 19));
  must(cudaMemcpy(reference, table.data(), table.size() * sizeof(T), cudaMemcpyHostToDevice), "reference");
  cudaMemset(failed, 0, sizeof *failed);
  const auto launch = [&] {
    loops<Law::pd_gravity, step, Model, T><<<static_cast<unsigned>((count + 127) / 128), 128>>>(loop, reference, 1, count, T(0.05), figures, failed);
  };
  const double t = seconds(launch, 2);
  double worst = 0;
  Figures<T> of_gpu;
  for (long k = 0; k < count; k += count / 7) {  // the same run on the CPU
    Run<T, n> run = draw<T, n>(1 + static_cast<std::uint64_t>(k));
    const Figures<T> of_cpu = roll<Law::pd_gravity, step, Model>(loop, run, table.data());
    cudaMemcpy(&of_gpu, figures + k, sizeof of_gpu, cudaMemcpyDeviceToHost);
    worst = std::max(worst, std::abs(double(of_cpu.largest_error) - double(of_gpu.largest_error)) / double(of_cpu.largest_error));
  }
  std::printf("  %-6s %-7s %-20s %-9s %9.3g ticks/s   %ld runs of 1 s in %.3f s   CPU differs by %.0e\n", Model::name, sizeof(T) == 8 ? "double" : "float",
              how, noisy ? "noise" : "no noise", static_cast<double>(count) * ticks / t, count, t, worst);
  if (!(worst < (sizeof(T) == 8 ? 1e-9 : 1e-2))) std::exit(1);
}

/// The largest rate that so few events in so many runs still allow, at 95 %: the Poisson sum up to `events` is then 5 %.
double rate_bound(unsigned long long events, double runs) {
  if (events > 100) return (static_cast<double>(events) + 1.645 * std::sqrt(static_cast<double>(events)) + 2) / runs;
  double low = 0, high = 500;
  for (int step = 0; step < 200; ++step) {
    const double mean = (low + high) / 2;
    double term = std::exp(-mean), sum = term;
    for (unsigned long long k = 1; k <= events; ++k) sum += term *= mean / static_cast<double>(k);
    (sum > 0.05 ? low : high) = mean;
  }
  return high / runs;
}

/// How seldom does a run leave the requirement? Of the model and of what varies in it, not of a machine.
template <class Model, class T>
void many(double runs, double bound, double first, double* memory) {
  constexpr int ticks = 1000, n = Model::n;
  const Loop<T, n> loop = pd_loop<Model, T>(ticks);
  const std::vector<T> table = motion<T, n>(ticks);
  T* reference = reinterpret_cast<T*>(memory);
  unsigned long long *failed = reinterpret_cast<unsigned long long*>(memory + (1 << 19)), count = 0;
  must(cudaMemcpy(reference, table.data(), table.size() * sizeof(T), cudaMemcpyHostToDevice), "reference");
  cudaMemset(failed, 0, sizeof *failed);
  const auto begin = std::chrono::steady_clock::now();
  constexpr long chunk = 10000000;
  double done = 0;
  for (; done < runs; done += chunk)
    loops<Law::pd_gravity, Step::semi_implicit_euler, Model, T>
        <<<static_cast<unsigned>(chunk / 128), 128>>>(loop, reference, static_cast<std::uint64_t>(first + done), chunk, T(bound), nullptr, failed);
  must(cudaMemcpy(&count, failed, sizeof count, cudaMemcpyDeviceToHost), "runs");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%s, %s: %.3g runs of 1 s in %.1f s; an error of %.3g rad or more in %llu of them: probability below %.3g with 95 %% confidence\n", Model::name,
              sizeof(T) == 8 ? "double" : "float", done, seconds, bound, count, rate_bound(count, done));
}

int main(int argc, char** argv) {
  cudaDeviceProp card;
  must(cudaGetDeviceProperties(&card, 0), "no graphics processor");
  std::printf("%s, %d multiprocessors\n", card.name, card.multiProcessorCount);
  const long bytes = 8L << 30;
  double* memory;
  must(cudaMalloc(&memory, bytes), "memory");
  if (argc > 1) {  // RUNS [BOUND in rad] [number of the FIRST run]
    many<Panda, double>(std::atof(argv[1]), argc > 2 ? std::atof(argv[2]) : 0.1, argc > 3 ? std::atof(argv[3]) : 1, memory);
    return 0;
  }
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

  std::printf("\nclosed loops: PD with gravity, Coulomb and viscous friction, torque limits, figures; a tick is one step\n");
  const long runs = 1000000;
  closed_loops<Step::semi_implicit_euler, Panda, double>("semi-implicit Euler", runs, true, memory);
  closed_loops<Step::semi_implicit_euler, Panda, double>("semi-implicit Euler", runs, false, memory);
  closed_loops<Step::semi_implicit_euler, Panda, float>("semi-implicit Euler", runs, true, memory);
  closed_loops<Step::semi_implicit_euler, Panda, float>("semi-implicit Euler", runs, false, memory);
  closed_loops<Step::rk4, Panda, double>("Runge-Kutta 4", runs, true, memory);
  closed_loops<Step::rk4, Panda, float>("Runge-Kutta 4", runs, true, memory);
  closed_loops<Step::semi_implicit_euler, Rrr, double>("semi-implicit Euler", runs, true, memory);
  closed_loops<Step::semi_implicit_euler, Rrr, float>("semi-implicit Euler", runs, true, memory);
  return 0;
}
