// What is no number teaches nothing: a law's state outlives a bad reading.
#pragma once

#include <cmath>

#include "armature/rooms.hpp"

namespace armature::control {

/// state = next, unless that is not finite: then the state stays as it was.
inline void advance(double& state, double next) noexcept {
  if (std::isfinite(next)) state = next;
}
template <class Vector>
void advance(Vector& state, const Vector& next) noexcept {
  if (next.allFinite()) state = next;
}

}  // namespace armature::control
