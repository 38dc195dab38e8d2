// The joint-space inertia of a reduced arm, written to be traced.
#pragma once

#include "armature/codegen/derive/internal/reduced_arm.hpp"

namespace armature::codegen {

/// M(q), that of mass_matrix(). Equal for all choices; the number of operations is not.
template <Scalar S>
MatX<S> reduced_mass_matrix(const ReducedArm& arm, const Choices& choices, const VecX<S>& q);

}  // namespace armature::codegen
