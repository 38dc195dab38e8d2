#include "armature/record/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"

namespace armature::record {

Sampling sampling_of(std::span<const double> time) {
  if (time.size() < 2)
    throw Error(fmt::format("a log of {} samples has no step", time.size()), "two or more are needed");
  std::vector<double> steps;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (!std::isfinite(time[i])) throw Error(fmt::format("the time of sample {} is not finite", i + 1), "");
    if (i == 0) continue;
    if (time[i] <= time[i - 1])
      throw Error(fmt::format("sample {} at {} s follows one at {} s", i + 1, time[i], time[i - 1]),
                  "samples are in order of time");
    steps.push_back(time[i] - time[i - 1]);
  }
  std::vector<double> sorted = steps;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  Sampling sampling{*middle, 0, {}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > 1.5 * sampling.step)
      sampling.gaps.push_back(
          {i, time[i], time[i + 1], static_cast<std::size_t>(std::lround(steps[i] / sampling.step)) - 1});
    else
      sampling.jitter = std::max(sampling.jitter, std::abs(steps[i] - sampling.step));
  }
  return sampling;
}

double regular_step(std::span<const double> time, double share) {
  const Sampling sampling = sampling_of(time);
  if (!sampling.gaps.empty()) {
    const SamplingGap& gap = sampling.gaps.front();
    throw Error(
        fmt::format(
            "{} {} missing between {} s and {} s{}", gap.missing, gap.missing == 1 ? "sample is" : "samples are",
            gap.from, gap.to,
            sampling.gaps.size() > 1 ? fmt::format(", and there are {} more gaps", sampling.gaps.size() - 1) : ""),
        "cut the log there, or resample it");
  }
  if (!sampling.regular(share)) {
    std::size_t i = 1;
    while (std::abs(time[i] - time[i - 1] - sampling.step) <= share * sampling.step) ++i;
    throw Error(fmt::format("samples are {} s apart, but {} s before sample {} at {} s", sampling.step,
                            time[i] - time[i - 1], i + 1, time[i]),
                "resample the log to equal steps");
  }
  return (time.back() - time.front()) / static_cast<double>(time.size() - 1);
}

}  // namespace armature::record
