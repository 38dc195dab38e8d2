// Rigid-body poses. X_AB is the pose of frame B in frame A: p_A = X_AB * p_B (docs/notation.md).
#pragma once

#include "armature/scalar/matrix.hpp"

namespace armature::spatial {

/// A pose says where a frame B is in a frame A: the axes of B, and its origin. Poses are multiplied as frames follow each other.
template <Scalar S>
struct Pose {
  Mat3<S> R = Mat3<S>::Identity();  // axes of B, in A
  Vec3<S> p = Vec3<S>::Zero();      // origin of B, in A [m]

  /// X_AC = X_AB * X_BC
  friend Pose operator*(const Pose& X_AB, const Pose& X_BC) {
    return {Mat3<S>(X_AB.R * X_BC.R), Vec3<S>(X_AB.p + X_AB.R * X_BC.p)};
  }
  /// A point: p_A = X_AB * p_B
  friend Vec3<S> operator*(const Pose& X_AB, const Vec3<S>& p_B) { return X_AB.p + X_AB.R * p_B; }

  [[nodiscard]] Pose inverse() const { return {Mat3<S>(R.transpose()), Vec3<S>(-(R.transpose() * p))}; }

  template <Scalar T>
  [[nodiscard]] Pose<T> cast() const {
    return {R.template cast<T>(), p.template cast<T>()};
  }
};

/// The matrix [a]× with [a]× b = a × b.
template <Scalar S>
Mat3<S> skew(const Vec3<S>& a) {
  Mat3<S> A;
  A << S(0), -a[2], a[1], a[2], S(0), -a[0], -a[1], a[0], S(0);
  return A;
}

}  // namespace armature::spatial

namespace armature {
using spatial::Pose;
}  // namespace armature
