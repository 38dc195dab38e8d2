// Velocity fields of rigid bodies and the forces on them, in one set of axes and about one origin.
#pragma once

#include "armature/scalar/matrix.hpp"

namespace armature::spatial {

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

/// A point at p moves with v + w × p. As a 4 x 4 matrix: [[w]× v; 0 0].
template <Scalar S>
struct Twist {
  Vec3<S> v, w;

  friend Twist operator+(const Twist& a, const Twist& b) { return {a.v + b.v, a.w + b.w}; }
  friend Twist operator*(const Twist& a, const S& s) { return {a.v * s, a.w * s}; }
};

/// The commutator A B - B A of the matrices: how B changes when it is carried along by A.
template <Scalar S>
Twist<S> commutator(const Twist<S>& A, const Twist<S>& B) {
  return {cross<S>(A.w, B.v) - cross<S>(B.w, A.v), cross<S>(A.w, B.w)};
}

/// A force and its moment, or a momentum.
template <Scalar S>
struct Wrench {
  Vec3<S> f, n;

  friend Wrench operator+(const Wrench& a, const Wrench& b) { return {a.f + b.f, a.n + b.n}; }
  friend Wrench operator*(const Wrench& a, const S& s) { return {a.f * s, a.n * s}; }
};

/// Power of a wrench on a body that moves with a twist.
template <Scalar S>
S power(const Twist<S>& Q, const Wrench<S>& F) {
  return Q.v[0] * F.f[0] + Q.v[1] * F.f[1] + Q.v[2] * F.f[2] + Q.w[0] * F.n[0] + Q.w[1] * F.n[1] + Q.w[2] * F.n[2];
}

/// How a wrench changes when it is carried along by Q.
template <Scalar S>
Wrench<S> carried(const Twist<S>& Q, const Wrench<S>& F) {
  return {cross<S>(Q.w, F.f), cross<S>(Q.w, F.n) + cross<S>(Q.v, F.f)};
}

}  // namespace armature::spatial
