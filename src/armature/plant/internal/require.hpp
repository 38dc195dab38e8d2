// How an element refuses a number. Used inside this room.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "armature/core/error.hpp"

namespace armature::plant {

inline void require(bool good, const std::string& place, const std::string& finding, const std::string& hint) {
  if (!good) throw ModelError(place + ": " + finding, hint);
}

inline bool nonnegative(std::initializer_list<double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0 && std::isfinite(x); });
}

inline std::string axes_count(int axes) { return "axes count from 0 to " + std::to_string(axes - 1); }

}  // namespace armature::plant
