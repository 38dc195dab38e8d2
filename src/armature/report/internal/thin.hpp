// Fewer points for the same picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "armature/record/log.hpp"

namespace armature::report {

/// The rows of a log that are drawn. A log of at most `limit` rows is kept as it is; a longer one becomes intervals of two rows
/// each: every channel's least and greatest value there, in the order in which they came, so no peak is lost and a peak is at most
/// one interval out of place. Where samples are missing (more than five usual steps) a row of NaN breaks the curves.
struct Thinned {
  std::vector<double> time;                 // [s]
  std::vector<std::vector<double>> values;  // of each channel
  std::vector<std::size_t> rows;  // of the log, one per row here: true samples, for what must not jump between extremes
  bool extremes = false;          // intervals rather than samples
};
Thinned thinned(const Log& log, std::size_t limit);

}  // namespace armature::report
