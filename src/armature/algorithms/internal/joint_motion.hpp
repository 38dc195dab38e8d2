// How a body's frame lies in its parent's when its joint is at q.
#pragma once

#include "armature/model/arm.hpp"
#include "armature/spatial/twist.hpp"

namespace armature::algorithms {

/// X_PB(q) = X_PB0 Rz(q) for a revolute joint, X_PB0 Tz(q) for a prismatic one.
template <Scalar S>
Pose<S> joint_pose(const Body& body, const S& q) {
  const Mat3<double>& R = body.X_PB0.R;
  const Vec3<double>& p = body.X_PB0.p;
  Pose<S> X;
  if (body.revolute) {
    const S s = sin(q), c = cos(q);
    for (int k = 0; k < 3; ++k) {
      X.R(k, 0) = S(R(k, 0)) * c + S(R(k, 1)) * s;
      X.R(k, 1) = S(R(k, 1)) * c - S(R(k, 0)) * s;
      X.R(k, 2) = S(R(k, 2));
      X.p[k] = S(p[k]);
    }
  } else {
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) X.R(k, j) = S(R(k, j));
      X.p[k] = S(p[k]) + S(R(k, 2)) * q;
    }
  }
  return X;
}

/// A body's inertia as numbers of type S; for double the original, not a copy.
inline const Inertia<double>& inertia_as(const Body& body, double) { return body.inertia; }
template <Scalar S>
Inertia<S> inertia_as(const Body& body, const S&) {
  return body.inertia.cast<S>();
}

}  // namespace armature::algorithms
