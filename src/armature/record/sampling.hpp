// How a log was sampled: its step, how regular it is, and where samples are missing.
#pragma once

#include <span>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::record {

struct SamplingGap {
  std::size_t after;    // index of the last sample before the gap
  double from, to;      // times of the samples around it [s]
  std::size_t missing;  // samples that the usual step would have put between them
};

struct Sampling {
  double step = 0;                // median time between samples [s]
  double jitter = 0;              // largest deviation from it outside gaps [s]
  std::vector<SamplingGap> gaps;  // more than one and a half steps

  /// Whether every step is the usual one, to a share of it.
  [[nodiscard]] bool regular(double share = 1e-3) const { return gaps.empty() && jitter <= share * step; }
};

/// Throws Error for fewer than two samples and where the time is not finite or does not increase.
Sampling sampling_of(std::span<const double> time);

/// The step of a regularly sampled log: the mean of all. Throws Error that names the first irregular sample, its time and the
/// way out. Spectra, filters and differences need this.
double regular_step(std::span<const double> time, double share = 1e-3);

}  // namespace armature::record
