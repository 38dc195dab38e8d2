// A body's inertia, whatever the kind of number.
#pragma once

#include "armature/model/arm.hpp"
#include "armature/spatial/twist.hpp"

namespace armature::algorithms {

/// A body's inertia as numbers of type S; for double the original, not a copy.
inline const Inertia<double>& inertia_as(const Body& body, double) { return body.inertia; }
template <Scalar S>
Inertia<S> inertia_as(const Body& body, const S&) {
  return body.inertia.cast<S>();
}

}  // namespace armature::algorithms
