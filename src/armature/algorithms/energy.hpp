// Kinetic and potential energy.
#pragma once

#include "armature/algorithms/forward_kinematics.hpp"

namespace armature::algorithms {

template <Scalar S>
struct Energy {
  S kinetic;    // [J]
  S potential;  // [J] of bodies, zero at the world's origin, and of the springs of the joints (SpringLaw)
};

/// Returns the kinetic and the potential energy of the arm at q, moving with qd; `poses` are those of q.
template <Scalar S>
Energy<S> energy(const Arm& arm, const VecX<S>& q, const LinkPoses<S>& poses, const VecX<S>& qd);

template <Scalar S>
Energy<S> energy(const Arm& arm, const VecX<S>& q, const VecX<S>& qd) {
  return energy(arm, q, forward_kinematics(arm, q), qd);
}

}  // namespace armature::algorithms

namespace armature {
using algorithms::energy;
}  // namespace armature
