// Which joint torques produce a motion.
#pragma once

#include <span>

#include "armature/algorithms/wrench.hpp"

namespace armature::algorithms {

/// Computes the joint forces that produce the acceleration `qdd` [N m | N]:  tau = M(q) qdd + c(q, qd) + g(q) - sum J' w
/// Rigid links only: friction is algorithms/friction.hpp, drives and elasticity live in plant/. Springs of the joints are part of g.
/// O(n); allocates nothing. Recursive Newton–Euler [LuhWalkerPaul1980], written for joints about z.
template <Scalar S>
void inverse_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd,
                      std::span<const BodyWrench<S>> wrenches, VecX<S>& tau);

template <Scalar S>
void inverse_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd, VecX<S>& tau) {
  inverse_dynamics<S>(arm, q, qd, qdd, {}, tau);
}

template <Scalar S>
VecX<S> inverse_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd) {
  VecX<S> tau;
  inverse_dynamics<S>(arm, q, qd, qdd, {}, tau);
  return tau;
}

/// g(q): torques that hold the arm still against gravity and the springs of its joints.
template <Scalar S>
VecX<S> gravity_torque(const Arm& arm, const VecX<S>& q);

/// c(q, qd) = C(q, qd) qd: torques of the centripetal and Coriolis forces.
template <Scalar S>
VecX<S> coriolis_torque(const Arm& arm, const VecX<S>& q, const VecX<S>& qd);

}  // namespace armature::algorithms

namespace armature {
using algorithms::inverse_dynamics;
}  // namespace armature
