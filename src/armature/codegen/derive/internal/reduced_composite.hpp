// Moments of a body and all behind it, for the equations of reduced arms.
#pragma once

#include <array>
#include <type_traits>

#include "armature/codegen/derive/internal/turning.hpp"

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

/// Of body i alone, in its own axes.
template <Scalar S>
Composite<S> body_moments(const ReducedArm& arm, std::size_t i) {
  if constexpr (std::is_same_v<S, Expr>) {
    if (!arm.symbols.empty()) {
      const std::array<Expr, moments_per_body>& s = arm.symbols[i];
      Composite<S> c{s[0], Vec3<S>(s[1], s[2], s[3]), {}};
      c.N << s[4], s[5], s[6], s[5], s[7], s[8], s[6], s[8], s[9];
      return c;
    }
  }
  const Moments& a = arm.bodies[i].moments;
  return {S(a.m), numbers<S>(a.h), a.N.template cast<S>()};
}

/// The same in the axes of its equations.
template <Scalar S>
Composite<S> own_moments(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles,
                         std::size_t i) {
  Composite<S> c = body_moments<S>(arm, i);
  if (!choices[i].own_axes) {
    c.h = turned<S>(angles[i], c.h);
    c.N = turned<S>(angles[i], c.N);
  }
  return c;
}

}  // namespace armature::codegen
