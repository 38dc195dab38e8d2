// Revolute joints know their position only up to whole turns. Used inside inverse kinematics.
#pragma once

#include <cmath>

#include "armature/core/units.hpp"

namespace armature::algorithms {

/// `angle` moved by whole turns: next to `near`, and from there into [lower, upper] where turns do that.
inline double turned_into(double angle, double near, double lower, double upper) {
  const double turn = 2 * pi;
  const double q = angle - turn * std::round((angle - near) / turn);
  if (q < lower) {
    const double up = q + turn * std::ceil((lower - q) / turn);
    return up <= upper ? up : q;
  }
  if (q > upper) {
    const double down = q - turn * std::ceil((q - upper) / turn);
    return down >= lower ? down : q;
  }
  return q;
}

}  // namespace armature::algorithms
