// Rows as a recorder stamped them, put onto equal steps: jittering, missing and repeated stamps, values that are missing, gaps.
//
// The rule:
//   - Rows that repeat the row before, and rows with a value or a stamp missing, are left out.
//   - A gap of more than `longest_hole` missing samples, or a clock that was set back, ends a segment. Shorter holes are filled.
//   - Where every interval is the usual one to 1 %, rows are taken as they are.
//   - Else two readings of the stamps are compared: the rows were taken at their stamps, or they were taken at equal steps and only the
//     stamps jitter (as those of a real-time controller that are given when a message arrives). The one in which the judged columns
//     (positions) are smoother is taken: each value is compared with the cubic through its four neighbours.
//   - Values between rows are those of the cubic through the two rows before and the two after. The step is at most the mean
//     interval of the rows, so nothing is thinned out and nothing is aliased.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::record {

inline constexpr std::size_t longest_hole = 3;       // missing samples in a row that are filled
inline constexpr std::size_t shortest_segment = 12;  // samples; shorter pieces are left out
inline constexpr double regular_share = 0.01;        // of a step by which intervals of a regular log may differ

using Samples = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // one row per sample

/// A stretch of a log without a gap.
struct LogSegment {
  double start = 0;  // [s]
  Samples values;
  int restarts = 0;  // how often the clock was set back before it: each begins another run
};

struct Resampling {
  enum class Times {
    regular,  ///< the rows are equally spaced already
    stamps,   ///< each row was taken at its stamp: values in between are interpolated
    rows      ///< rows were taken at equal steps, the stamps jitter: values stay as they are
  };
  Times times = Times::regular;
  double step = 0;               // [s]
  double jitter = 0;             // standard deviation of the intervals outside gaps [s]
  std::size_t repeated = 0;      // rows that repeat another, or are out of order
  std::size_t incomplete = 0;    // rows with a value or a stamp missing
  std::size_t filled = 0;        // samples put into short holes
  std::size_t gaps = 0;          // between segments
  std::size_t restarts = 0;      // of the clock
  std::size_t short_pieces = 0;  // left out ...
  std::size_t short_rows = 0;    // ... with so many rows
  std::vector<LogSegment> segments;
};

/// The usual interval between stamps: the median of those above zero; where rows arrive in bursts (most intervals far shorter than the
/// mean) the mean without gaps. Throws Error where the stamps do not increase.
double typical_interval(const std::vector<double>& stamps);

/// The rows on equal steps. `stamps` [s] and `values` may hold NaN where something is missing; the first `judged` columns tell whether
/// stamps or row numbers are the better clock. A `step` that is given is kept. Throws Error where nothing is left.
Resampling resample(const std::vector<double>& stamps, const Samples& values, int judged, double step = 0);

/// What was done, in a sentence; empty where rows were taken as they are.
std::string describe(const Resampling& resampling);

/// "1 kHz", "199.98 Hz".
std::string rate_text(double step);

}  // namespace armature::record
