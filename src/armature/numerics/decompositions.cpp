#include "armature/numerics/decompositions.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace armature::numerics {

Eigen::MatrixXd triangle_of(Eigen::MatrixXd A) {
  if (A.rows() <= A.cols()) return A;
  const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(A);
  return A.topRows(A.cols()).triangularView<Eigen::Upper>();
}

Eigen::MatrixXd least_squares_solution(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.colPivHouseholderQr().solve(B);
}

Eigen::VectorXd pivot_sizes(const Eigen::MatrixXd& A) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  return qr.matrixQR().diagonal().cwiseAbs() / qr.maxPivot();
}

std::vector<int> pivot_columns(const Eigen::MatrixXd& A, double tolerance) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  std::vector<int> kept;
  for (Eigen::Index k = 0; k < std::min(A.rows(), A.cols()); ++k)
    if (std::abs(qr.matrixQR()(k, k)) > tolerance * qr.maxPivot()) kept.push_back(qr.colsPermutation().indices()[k]);
  std::sort(kept.begin(), kept.end());
  return kept;
}

Eigen::MatrixXd solved(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) { return A.partialPivLu().solve(B); }
Eigen::MatrixXcd complex_solved(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) {
  return A.partialPivLu().solve(B);
}

Eigen::VectorXd solved_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) { return A.ldlt().solve(b); }

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) { return A.inverse(); }

double determinant(const Eigen::MatrixXd& A) { return A.determinant(); }

Eigen::Index rank(const Eigen::MatrixXd& A) { return A.completeOrthogonalDecomposition().rank(); }

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A) { return A.completeOrthogonalDecomposition().pseudoInverse(); }

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(triangle_of(A)).singularValues();
}

Eigen::VectorXd last_singular_vector(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(triangle_of(A), Eigen::ComputeFullV);
  return svd.matrixV().col(A.cols() - 1);
}

double condition_number(const Eigen::MatrixXd& A) {
  const Eigen::VectorXd s = singular_values(A);
  return s.size() == 0 ? 1 : s[0] / s[s.size() - 1];
}

RealEigen symmetric_eigen(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

RealEigen symmetric_eigen(const Eigen::MatrixXd& A, const Eigen::MatrixXd& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A, M);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

ComplexEigen complex_eigen(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

SingularValues singular_value_decomposition(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

RangeBasis range_basis(const Eigen::MatrixXd& A, double tolerance) {
  if (A.size() == 0) return {Eigen::MatrixXd::Identity(A.rows(), A.rows()), 0};
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  qr.setThreshold(tolerance);
  return {qr.householderQ(), qr.rank()};
}

Eigen::MatrixXd cholesky(const Eigen::MatrixXd& A) {
  const Eigen::LLT<Eigen::MatrixXd> llt(A);
  if (llt.info() != Eigen::Success) return {};
  return llt.matrixL();
}

}  // namespace armature::numerics
