// The closed loops of a campaign on one graphics processor: how many ticks a second, and how far the same runs on the CPU are from them.
// KERNEL is the text that `armature campaign FILE --device source` wrote. Compiled and run by tools/gpu_bench.sh:
//     loops                            measures
//     loops RUNS BOUND [FIRST]         how many of so many runs, number FIRST first, have a joint error of BOUND or more
#include KERNEL

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace armature_rollout;

/// The same loop with fewer figures: errors, torques and saturation of the joints.
struct Fewer : Loop {
  static constexpr bool tool = false, moves = false, limits = false, efforts = false, power = false, balance = false, joints = false;
};

static void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}

template <class T>
T* on_device(const std::vector<T>& numbers) {
  T* memory;
  must(cudaMalloc(&memory, sizeof(T) * (numbers.size() + 1)), "memory");
  must(cudaMemcpy(memory, numbers.data(), sizeof(T) * numbers.size(), cudaMemcpyHostToDevice), "copy");
  return memory;
}

/// The campaign's first runs again and again, each time with other noise.
template <class S>
struct Inputs {
  std::vector<S> table, varied;
  std::vector<uint64_t> seeds;
  Inputs(long count, uint64_t first) : varied(size_t(kernel_varied_count) * count), seeds(count) {
    const long rows = long(kernel_clock[2]) + 1;
    for (long i = 0; i < rows * layout_of(Loop{}).columns(); ++i) table.push_back(S(kernel_table[i]));
    for (long k = 0; k < count; ++k) {
      const long run = long((first + k) % kernel_runs);
      seeds[k] = kernel_seeds[run] + ((first + k) / kernel_runs) * 0x632be59bd9b4e019ULL;
      for (int j = 0; j < kernel_varied_count; ++j) varied[j * count + k] = S(kernel_varied[j * long(kernel_runs) + run]);
    }
  }
};

template <class L, class S>
void measure(const char* what, long count) {
  const Inputs<S> in(count, 0);
  const int kept = layout_of(L{}).figures();
  const Common<L, S> common = common_of<L, S>(L{}, kernel_clock, kernel_numbers);
  const S* table = on_device(in.table);
  const S* varied = on_device(in.varied);
  const uint64_t* seeds = on_device(in.seeds);
  S* figures;
  must(cudaMalloc(&figures, sizeof(S) * kept * count), "memory");
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float best = 1e30F;
  for (int k = 0; k < 3; ++k) {
    cudaEventRecord(begin);
    kernel<L, S><<<unsigned((count + 127) / 128), 128>>>(common, table, varied, seeds, count, figures);
    cudaEventRecord(end);
    must(cudaEventSynchronize(end), "kernel");
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (k > 0) best = std::min(best, ms);
  }
  std::vector<S> found(kept * size_t(count)), own(kept * size_t(count));
  must(cudaMemcpy(found.data(), figures, sizeof(S) * found.size(), cudaMemcpyDeviceToHost), "figures");
  double worst = 0;
  long failed = 0;
  for (long k = 0; k < count; ++k) failed += found[Layout::ended * count + k] == S(1);
  for (long k = 0; k < count; k += count / 13) {  // the same run on the CPU
    roll_at<L, S>(L{}, common, in.table.data(), in.varied.data(), in.seeds.data(), count, k, own.data());
    for (int f : {int(Layout::error_squares), int(Layout::error_largest), int(Layout::peak)}) {
      const double a = double(found[f * count + k]), b = double(own[f * count + k]);
      worst = std::max(worst, std::abs(a - b) / std::max(1e-12, std::abs(b)));
    }
  }
  const double seconds = 1e-3 * best;
  std::printf("  %-7s %-34s %9.3g ticks/s   %ld runs in %.3f s, %ld diverge   CPU differs by %.0e\n", sizeof(S) == 8 ? "double" : "float", what,
              double(count) * kernel_clock[2] / seconds, count, seconds, failed, worst);
  cudaFree(figures);
  cudaFree(const_cast<S*>(table));
  cudaFree(const_cast<S*>(varied));
  cudaFree(const_cast<uint64_t*>(seeds));
  if (!(worst < (sizeof(S) == 8 ? 1e-9 : 5e-2))) std::exit(1);
}

/// The largest rate that so few events in so many runs still allow, at 95 %: the Poisson sum up to `events` is then 5 %.
double rate_bound(unsigned long long events, double runs) {
  if (events > 100) return (double(events) + 1.645 * std::sqrt(double(events)) + 2) / runs;
  double low = 0, high = 500;
  for (int step = 0; step < 200; ++step) {
    const double mean = (low + high) / 2;
    double term = std::exp(-mean), sum = term;
    for (unsigned long long k = 1; k <= events; ++k) sum += term *= mean / double(k);
    (sum > 0.05 ? low : high) = mean;
  }
  return high / runs;
}

__global__ void count_failures(const double* figures, long count, double bound, unsigned long long* failed) {
  const long k = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (k >= count) return;
  const bool ended = figures[Layout::ended * count + k] > 0;
  if (ended || !(figures[Layout::error_largest * count + k] < bound)) atomicAdd(failed, 1ULL);
}

/// The numbers of a run of its own: every input from its distribution, by its values at normal scores, and noise of its own.
__global__ void draw(uint64_t first, long count, const double* quantiles, const double* origin, const double* slopes, const double* start, double* varied,
                     uint64_t* seeds) {
  const long k = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (k >= count) return;
  Noise own{(first + uint64_t(k)) * 0x632be59bd9b4e019ULL + 1};
  seeds[k] = own.bits();
  for (int j = 0; j < kernel_varied_count; ++j) varied[j * count + k] = start[j];
  for (int i = 0; i < kernel_inputs; ++i) {
    double u, s;
    own.pair(u, s);
    const double score = u * sqrt(-2 * log(s) / s), reach = kernel_score_reach - 1e-9;
    const double at = (fmin(fmax(score, -reach), reach) + kernel_score_reach) * kernel_scores_per_unit;
    const int below = int(at);
    const double* of_input = quantiles + i * (2 * kernel_score_reach * kernel_scores_per_unit + 1);
    const double step = of_input[below] + (at - below) * (of_input[below + 1] - of_input[below]) - origin[i];
    for (int j = 0; j < kernel_varied_count; ++j) varied[j * count + k] += slopes[i * kernel_varied_count + j] * step;
  }
}

template <int size>
double* array_on_device(const double (&numbers)[size]) {
  return on_device(std::vector<double>(numbers, numbers + size));
}

/// How seldom does a run leave the requirement? Of the model and of what varies in it, not of a machine.
void many(double runs, double bound, uint64_t first) {
  constexpr long count = 1L << 21;
  const Common<Fewer, double> common = common_of<Fewer, double>(Fewer{}, kernel_clock, kernel_numbers);
  if (kernel_inputs == 0) {
    std::printf("what varies is not drawn here: an input depends on others, or a run's numbers on it in no straight line\n");
    return;
  }
  const double *table = array_on_device(kernel_table), *quantiles = array_on_device(kernel_quantiles), *origin = array_on_device(kernel_origin),
               *slopes = array_on_device(kernel_slopes), *start = array_on_device(kernel_start);
  double* varied = on_device(std::vector<double>(size_t(kernel_varied_count) * count));
  uint64_t* seeds = on_device(std::vector<uint64_t>(count));
  unsigned long long* failed = on_device(std::vector<unsigned long long>(1, 0));
  double* figures;
  must(cudaMalloc(&figures, sizeof(double) * layout_of(Fewer{}).figures() * count), "memory");
  const auto begin = std::chrono::steady_clock::now();
  double done = 0;
  const unsigned blocks = unsigned(count / 128);
  for (; done < runs; done += count) {
    draw<<<blocks, 128>>>(first + uint64_t(done), count, quantiles, origin, slopes, start, varied, seeds);
    kernel<Fewer, double><<<blocks, 128>>>(common, table, varied, seeds, count, figures);
    count_failures<<<blocks, 128>>>(figures, count, bound, failed);
  }
  unsigned long long events = 0;
  must(cudaMemcpy(&events, failed, sizeof events, cudaMemcpyDeviceToHost), "runs");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.3g runs of %g s in %.1f s; an error of %.3g rad or more in %llu of them: probability below %.3g with 95 %% confidence\n", done,
              kernel_clock[0] * kernel_clock[2], seconds, bound, events, rate_bound(events, done));
}

int main(int argc, char** argv) {
  if (argc > 2) {
    many(std::atof(argv[1]), std::atof(argv[2]), argc > 3 ? uint64_t(std::atof(argv[3])) : 0);
    return 0;
  }
  const long runs = 1000000;
  measure<Fewer, double>("errors and torques of the joints", runs);
  measure<Loop, double>("every figure of a campaign", runs);
  measure<Fewer, float>("errors and torques of the joints", runs);
  measure<Loop, float>("every figure of a campaign", runs);
  return 0;
}
