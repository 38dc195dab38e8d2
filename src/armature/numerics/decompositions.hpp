// Decompositions of dense matrices of any size. Eigen's, compiled once: each costs a file that uses it many seconds.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::numerics {

/// At most as many rows as columns, upper triangular, with the same AᵀA.
Eigen::MatrixXd triangle_of(Eigen::MatrixXd A);
/// The X that minimizes |A X - B|, by QR with column pivoting (the basic solution where A lacks rank).
Eigen::MatrixXd least_squares_solution(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// The pivots of a pivoted QR factorization over the largest of them, falling.
Eigen::VectorXd pivot_sizes(const Eigen::MatrixXd& A);
/// Columns that a pivoted QR factorization counts: pivots above `tolerance` times the largest. Ascending.
std::vector<int> pivot_columns(const Eigen::MatrixXd& A, double tolerance);
/// A⁻¹ B by elimination.
Eigen::MatrixXd solved(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXcd complex_solved(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B);
/// A⁻¹ b for symmetric, positive semi-definite A.
Eigen::VectorXd solved_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
double determinant(const Eigen::MatrixXd& A);
/// By the decomposition of which pseudo_inverse is made.
Eigen::Index rank(const Eigen::MatrixXd& A);
/// The smallest X of those with the smallest |A X - 1|.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);
/// Largest first.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);
/// Of the smallest singular value, right-hand side.
Eigen::VectorXd last_singular_vector(const Eigen::MatrixXd& A);
double condition_number(const Eigen::MatrixXd& A);
/// Eigenvalues, rising, and eigenvectors: of a symmetric A, or of A x = λ M x with positive definite M.
struct RealEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
RealEigen symmetric_eigen(const Eigen::MatrixXd& A);
RealEigen symmetric_eigen(const Eigen::MatrixXd& A, const Eigen::MatrixXd& M);
/// Eigenvalues, in no order, and eigenvectors of any A.
struct ComplexEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
ComplexEigen complex_eigen(const Eigen::MatrixXd& A);
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);
/// A = U diag(values) Vᵀ with square U and V, values falling.
struct SingularValues {
  Eigen::MatrixXd U;
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
};
SingularValues singular_value_decomposition(const Eigen::MatrixXd& A);
/// An orthogonal matrix whose first `rank` columns span the range of A: a pivoted QR factorization, pivots above `tolerance` times the largest.
struct RangeBasis {
  Eigen::MatrixXd Q;
  Eigen::Index rank;
};
RangeBasis range_basis(const Eigen::MatrixXd& A, double tolerance);
/// L with L Lᵀ = A; an empty matrix where A is not positive definite.
Eigen::MatrixXd cholesky(const Eigen::MatrixXd& A);

}  // namespace armature::numerics
