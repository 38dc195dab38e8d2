// Which accelerations joint torques produce.
#pragma once

#include <span>

#include "armature/algorithms/wrench.hpp"

namespace armature::algorithms {

/// Computes the accelerations that joint forces cause:  qdd = M(q)⁻¹ (tau - c(q, qd) - g(q) + sum J' w) [rad/s² | m/s²].
/// Composite bodies and L D Lᵀ, which for the few joints of an arm (up to 16) are faster than articulated ones; allocates nothing.
template <Scalar S>
void forward_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& tau,
                      std::span<const BodyWrench<S>> wrenches, VecX<S>& qdd);

template <Scalar S>
void forward_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& tau, VecX<S>& qdd) {
  forward_dynamics<S>(arm, q, qd, tau, {}, qdd);
}

template <Scalar S>
VecX<S> forward_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& tau) {
  VecX<S> qdd;
  forward_dynamics<S>(arm, q, qd, tau, {}, qdd);
  return qdd;
}

}  // namespace armature::algorithms

namespace armature {
using algorithms::forward_dynamics;
}  // namespace armature
