// How a body's frame lies in its parent's when its joint is at q. Used inside the algorithms.
#pragma once

#include "armature/model/arm.hpp"

namespace armature {

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

/// a × b, written out: Eigen's cross() asks for more of a scalar than we do.
template <Scalar S>
Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return Vec3<S>(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

/// [alpha]× + [omega]×²: takes a point of a turning body to its acceleration relative to the body's origin.
template <Scalar S>
Mat3<S> acceleration_matrix(const Vec3<S>& omega, const Vec3<S>& alpha) {
  const S xx = omega[0] * omega[0], yy = omega[1] * omega[1], zz = omega[2] * omega[2];
  const S xy = omega[0] * omega[1], xz = omega[0] * omega[2], yz = omega[1] * omega[2];
  Mat3<S> B;
  B << -(yy + zz), xy - alpha[2], xz + alpha[1],  //
      xy + alpha[2], -(xx + zz), yz - alpha[0],   //
      xz - alpha[1], yz + alpha[0], -(xx + yy);
  return B;
}

/// A body's inertia as numbers of type S; for double the original, not a copy.
inline const Inertia<double>& inertia_as(const Body& body, double) { return body.inertia; }
template <Scalar S>
Inertia<S> inertia_as(const Body& body, const S&) {
  return body.inertia.cast<S>();
}

}  // namespace armature
