// Turning vectors about z, for the equations of reduced arms.
#pragma once

#include "armature/codegen/derive/internal/reduced_arm.hpp"

namespace armature::codegen {

/// Cosine and sine of an angle.
template <Scalar S>
struct Angle {
  S c, s;
};

template <Scalar S>
Vec3<S> turned(const Angle<S>& t, const Vec3<S>& x) {
  return {t.c * x[0] - t.s * x[1], t.s * x[0] + t.c * x[1], x[2]};
}
template <Scalar S>
Vec3<S> turned_back(const Angle<S>& t, const Vec3<S>& x) {
  return {t.c * x[0] + t.s * x[1], t.c * x[1] - t.s * x[0], x[2]};
}
template <Scalar S>
Vec3<S> cross_product(const Vec3<S>& a, const Vec3<S>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <Scalar S>
S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <Scalar S>
Vec3<S> numbers(const Vec3<double>& x) {
  return {S(x[0]), S(x[1]), S(x[2])};
}

/// A matrix turned about z. With B = (xx - yy) c - (xy + yx) s: xx' = yy + c B, yy' = xx - c B, xy' = xy + s B, yx' = yx + s B.
template <Scalar S>
Mat3<S> turned(const Angle<S>& t, const Mat3<S>& N) {
  const S B = (N(0, 0) - N(1, 1)) * t.c - (N(0, 1) + N(1, 0)) * t.s;
  const S cB = t.c * B, sB = t.s * B;
  Mat3<S> R;
  R << N(1, 1) + cB, N(0, 1) + sB, t.c * N(0, 2) - t.s * N(1, 2),  //
      N(1, 0) + sB, N(0, 0) - cB, t.s * N(0, 2) + t.c * N(1, 2),   //
      t.c * N(2, 0) - t.s * N(2, 1), t.s * N(2, 0) + t.c * N(2, 1), N(2, 2);
  return R;
}

/// Angles of the bodies' own axes in those of their groups.
template <Scalar S>
std::vector<Angle<S>> group_angles(const ReducedArm& arm, const VecX<S>& q) {
  std::vector<Angle<S>> angles;
  S theta = S(0.);
  for (std::size_t i = 0; i < arm.bodies.size(); ++i) {
    const ReducedBody& body = arm.bodies[i];
    if (body.first_of_group) theta = S(0.);
    if (body.revolute) theta = theta + S(body.sign) * q[i] + S(body.offset);
    angles.push_back({cos(theta), sin(theta)});
  }
  return angles;
}

/// A vector from the axes in which body i's equations are written to those of body i - 1.
template <Scalar S>
Vec3<S> to_previous(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles, std::size_t i,
                    Vec3<S> x) {
  if (choices[i].own_axes) x = turned<S>(angles[i], x);
  if (arm.bodies[i].first_of_group) {
    x = Vec3<S>(arm.bodies[i].R_PG.template cast<S>() * x);
    return choices[i - 1].own_axes ? x : turned<S>(angles[i - 1], x);
  }
  return choices[i - 1].own_axes ? turned_back<S>(angles[i - 1], x) : x;
}

/// The same for a matrix.
template <Scalar S>
Mat3<S> to_previous(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles, std::size_t i,
                    Mat3<S> N) {
  if (choices[i].own_axes) N = turned<S>(angles[i], N);
  if (arm.bodies[i].first_of_group) {
    const Mat3<S> R = arm.bodies[i].R_PG.template cast<S>();
    N = Mat3<S>(R * N * R.transpose());
    return choices[i - 1].own_axes ? N : turned<S>(angles[i - 1], N);
  }
  return choices[i - 1].own_axes ? turned<S>(Angle<S>{angles[i - 1].c, -angles[i - 1].s}, N) : N;
}

/// From the previous origin to that of body i, prismatic joints at zero, in the axes of body i - 1's equations.
template <Scalar S>
Vec3<S> lever_to(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles, std::size_t i) {
  const Vec3<S> p = numbers<S>(arm.bodies[i].p);
  return i == 0 || choices[i - 1].own_axes ? p : turned<S>(angles[i - 1], p);
}

/// Direction of a prismatic joint in the axes of its body's equations.
template <Scalar S>
Vec3<S> slide_of(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles, std::size_t i) {
  const Vec3<S> d = numbers<S>(arm.bodies[i].slide);
  return choices[i].own_axes ? d : turned<S>(angles[i], d);
}

}  // namespace armature::codegen
