// Kinetic and potential energy.
#pragma once

#include "armature/algorithms/forward_kinematics.hpp"

namespace armature {

template <Scalar S>
struct Energy {
  S kinetic;    // [J]
  S potential;  // [J], zero for bodies at the world's origin
};

template <Scalar S>
Energy<S> energy(const Arm& arm, const VecX<S>& q, const VecX<S>& qd);

}  // namespace armature
