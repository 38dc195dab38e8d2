// Newton–Euler equations of a reduced arm, written to be traced.
#pragma once

#include "armature/codegen/derive/internal/reduced_motion.hpp"

namespace armature::codegen {

/// A force and its moment about a body's origin.
template <Scalar S>
struct Force {
  Vec3<S> f, n;
};

/// What moves a body and all behind it, one a body, in the axes of its equations.
template <Scalar S>
std::vector<Force<S>> reduced_forces(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                     const ArmMotion<S>& motion);

/// Joint torques, those of inverse_dynamics(). Equal for all choices; the number of operations is not.
template <Scalar S>
VecX<S> reduced_inverse_dynamics(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                 const ArmMotion<S>& motion);

}  // namespace armature::codegen
