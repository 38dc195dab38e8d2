// Symmetric equations for every kind of number: no pivots, no branches, no square roots.
#pragma once

#include "armature/scalar/matrix.hpp"

namespace armature::numerics {

/// Overwrites the lower triangle of the symmetric, positive definite A with D on the diagonal and the unit lower
/// triangular L below it: A = L D Lᵀ.
template <class Matrix>
void ldlt_in_place(Matrix& A) {
  using S = typename Matrix::Scalar;
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    const S reciprocal = S(1) / A(j, j);
    for (Eigen::Index i = j + 1; i < A.rows(); ++i) {
      const S LD_ij = A(i, j);
      A(i, j) = LD_ij * reciprocal;
      for (Eigen::Index k = j + 1; k <= i; ++k) A(i, k) -= LD_ij * A(k, j);
    }
  }
}

/// Overwrites B with A⁻¹ B, A as left by ldlt_in_place.
template <class Matrix, class Right>
void ldlt_solve_in_place(const Matrix& LD, Right& B) {
  for (Eigen::Index c = 0; c < B.cols(); ++c) {
    for (Eigen::Index i = 1; i < LD.rows(); ++i)
      for (Eigen::Index k = 0; k < i; ++k) B(i, c) -= LD(i, k) * B(k, c);
    for (Eigen::Index i = 0; i < LD.rows(); ++i) B(i, c) = B(i, c) / LD(i, i);
    for (Eigen::Index i = LD.rows() - 1; i-- > 0;)
      for (Eigen::Index k = i + 1; k < LD.rows(); ++k) B(i, c) -= LD(k, i) * B(k, c);
  }
}

}  // namespace armature::numerics
