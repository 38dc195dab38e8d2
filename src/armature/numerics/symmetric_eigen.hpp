// Eigenvalues of a symmetric matrix of joint size.
#pragma once

#include "armature/scalar/matrix.hpp"

namespace armature::numerics {

/// A = vectors diag(values) vectorsᵀ, values rising.
struct SymmetricEigen {
  VecX<double> values;
  MatX<double> vectors;
};

/// Of a symmetric matrix; its lower triangle is read. Allocates nothing. (Eigen's solver, compiled once.)
SymmetricEigen symmetric_eigen(const MatX<double>& A) noexcept;
VecX<double> symmetric_eigenvalues(const MatX<double>& A) noexcept;

}  // namespace armature::numerics
