// Moments of a body and all behind it, for the equations of reduced arms.
#pragma once

#include "armature/codegen/internal/turning.hpp"

namespace armature::codegen {

/// ∫dm, ∫r dm, ∫r rᵀ dm.
template <Scalar S>
struct Composite {
  S m = S(0.);
  Vec3<S> h = Vec3<S>::Constant(S(0.));
  Mat3<S> N = Mat3<S>::Constant(S(0.));

  void add(const Composite& a) {
    m = m + a.m;
    h = Vec3<S>(h + a.h);
    N = Mat3<S>(N + a.N);
  }
  void shift(const Vec3<S>& p) {  // the origin by -p
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) N(i, j) = N(j, i) = N(i, j) + (h[i] * p[j] + p[i] * h[j] + m * (p[i] * p[j]));
    h = Vec3<S>(h + p * m);
  }
  void to_previous_axes(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles,
                        std::size_t i) {
    h = to_previous<S>(arm, choices, angles, i, h);
    N = to_previous<S>(arm, choices, angles, i, N);
  }
};

/// Of body i alone, in the axes of its equations.
template <Scalar S>
Composite<S> own_moments(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles,
                         std::size_t i) {
  const Moments& a = arm.bodies[i].moments;
  Composite<S> c{S(a.m), numbers<S>(a.h), a.N.template cast<S>()};
  if (!choices[i].own_axes) {
    c.h = turned<S>(angles[i], c.h);
    c.N = turned<S>(angles[i], c.N);
  }
  return c;
}

}  // namespace armature::codegen
