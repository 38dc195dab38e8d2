#include "armature/plant/elements.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace armature {

Vec6<double> ToolWrench::at(double t) const noexcept {
  const double since = t - from, share = since / (to - from);
  switch (profile) {
    case Profile::constant:
      break;
    case Profile::ramp:
      return share * wrench;
    case Profile::half_sine:
      return std::sin(std::numbers::pi * share) * wrench;
    case Profile::sine:
      return std::sin(2 * std::numbers::pi * frequency * since) * wrench;
    case Profile::table: {
      const auto after = std::upper_bound(times.begin(), times.end(), since);
      if (after == times.begin()) return table.front();
      if (after == times.end()) return table.back();
      const auto k = static_cast<std::size_t>(after - times.begin());
      const double s = (since - times[k - 1]) / (times[k] - times[k - 1]);
      return (1 - s) * table[k - 1] + s * table[k];
    }
  }
  return wrench;
}

}  // namespace armature
