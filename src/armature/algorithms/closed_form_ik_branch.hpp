// Closed-form inverse kinematics, one branch at a time, for every kind of number.
#pragma once

#include <bitset>

#include "armature/algorithms/closed_form_ik_family.hpp"

namespace armature::algorithms {

/// How a branch takes roots and angles. In general as they come: whoever traces or differentiates a branch answers for
/// the target being within reach and away from singularities.
template <Scalar S>
struct IkMath {
  static constexpr bool careful = false;
  /// Of a difference of terms of the size of `terms`.
  S root(const S& x, const S& /*terms*/) const { return sqrt(x); }
  /// Position of a joint that lies `beyond` the direction (x, y).
  S joint(const S& y, const S& x, const S& beyond, int /*joint*/) const { return atan2(y, x) + beyond; }
};

/// On doubles nothing becomes NaN: the root of less than rounding leaves is nothing (branches fall together there, and
/// beyond the arm stretches towards the target), and where a direction vanishes its joint is free and has the position it
/// is given.
template <>
struct IkMath<double> {
  static constexpr bool careful = true;  // accurate next to singularities too, at the cost of some operations
  std::array<double, 6> theta{};         // for free joints
  double vanishing = 1e-10;              // length [m] or sine below which there is no direction
  std::bitset<6> free;                   // joints found free

  [[nodiscard]] double root(double x, double terms) const { return x > 1e-14 * terms ? std::sqrt(x) : 0; }
  double joint(double y, double x, double beyond, int joint) {
    const auto j = static_cast<std::size_t>(joint);
    if (std::abs(y) > vanishing || std::abs(x) > vanishing) return std::atan2(y, x) + beyond;
    free.set(j);
    return theta[j];
  }
};

/// Joint variables theta of the family for which its last frame is at X_0N. Branches are counted from 0; the bits of
/// the number choose, most significant first, among: shoulder forwards or backwards, elbow bending one way or the other,
/// wrist turned or flipped (as many as the family has). Angles are not wrapped. Symbols for the lengths are welcome.
template <Scalar S>
VecX<S> closed_form_branch(const IkGeometry<S>& geometry, const Pose<S>& X_0N, int branch, IkMath<S>& math);

/// Joint positions for which the tool of an arm of the family is at X_WT (its position alone counts where the task is
/// one of position). Equal sub-expressions of several branches are shared when traced.
template <Scalar S>
VecX<S> closed_form_branch(const IkFamily& family, const Pose<S>& X_WT, int branch, IkMath<S>& math);

template <Scalar S>
VecX<S> closed_form_branch(const IkFamily& family, const Pose<S>& X_WT, int branch) {
  IkMath<S> math;
  return closed_form_branch(family, X_WT, branch, math);
}

}  // namespace armature::algorithms
