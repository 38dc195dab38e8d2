// Newton–Euler equations of a reduced arm, written to be traced.
#pragma once

#include "armature/codegen/reduced_arm.hpp"

namespace armature {

template <Scalar S>
struct TracedTorques {
  VecX<S> tau;
  std::vector<S> kept;  // sums of speeds that are better computed once than multiplied out
};

/// Joint torques, those of inverse_dynamics(). Equal for all choices; the number of operations is not.
template <Scalar S>
TracedTorques<S> reduced_inverse_dynamics(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                          const VecX<S>& qd, const VecX<S>& qdd);

}  // namespace armature
