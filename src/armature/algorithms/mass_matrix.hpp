// The joint-space inertia.
#pragma once

#include <optional>

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// Computes the mass matrix M(q), dof x dof and symmetric, from composite rigid bodies [Featherstone2008, Table 6.2]. It takes O(n²) and
/// allocates nothing.
template <Scalar S>
void mass_matrix(const Arm& arm, const VecX<S>& q, MatX<S>& M);

template <Scalar S>
MatX<S> mass_matrix(const Arm& arm, const VecX<S>& q) {
  MatX<S> M;
  mass_matrix(arm, q, M);
  return M;
}

/// A configuration where M(q) is not positive definite, if a search over seeded samples and their descent finds one.
/// Possible bodies never have one; base parameters taken from a paper may.
std::optional<VecX<double>> indefinite_configuration(const Arm& arm);

}  // namespace armature::algorithms

namespace armature {
using algorithms::mass_matrix;
}  // namespace armature
