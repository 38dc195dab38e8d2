// Factorisations of dense matrices of doubles, compiled once.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace armature {

/// At most as many rows as columns, upper triangular, with the same AᵀA.
Eigen::MatrixXd triangle_of(Eigen::MatrixXd A);
/// The x that minimises |A x - b|, by QR with column pivoting (the basic solution where A lacks rank).
Eigen::VectorXd least_squares_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
/// Columns that a pivoted QR factorisation counts: pivots above `tolerance` times the largest. Ascending.
std::vector<int> pivot_columns(const Eigen::MatrixXd& A, double tolerance);
/// A⁻¹ B by elimination.
Eigen::MatrixXd solved(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// A⁻¹ b for symmetric, positive semi-definite A.
Eigen::VectorXd solved_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
/// Of singular values, largest first.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);
/// Of the smallest singular value, right-hand side.
Eigen::VectorXd last_singular_vector(const Eigen::MatrixXd& A);
double condition_number(const Eigen::MatrixXd& A);
/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);
/// L with L Lᵀ = A; an empty matrix where A is not positive definite.
Eigen::MatrixXd cholesky(const Eigen::MatrixXd& A);

}  // namespace armature
