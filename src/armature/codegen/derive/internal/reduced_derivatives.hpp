// How the torques of a reduced arm change with its state, written to be traced.
#pragma once

#include "armature/algorithms/derivatives.hpp"
#include "armature/codegen/derive/internal/reduced_motion.hpp"

namespace armature::codegen {

/// Those of inverse_dynamics_derivatives(). Equal for all choices; the number of operations is not.
template <Scalar S>
InverseDynamicsDerivatives<S> reduced_derivatives(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                                  const VecX<S>& qd, const ArmMotion<S>& motion);

}  // namespace armature::codegen
