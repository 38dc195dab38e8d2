#include "armature/numerics/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace armature::numerics {

using Solver = Eigen::SelfAdjointEigenSolver<MatX<double>>;

SymmetricEigen symmetric_eigen(const MatX<double>& A) noexcept {
  const Solver solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VecX<double> symmetric_eigenvalues(const MatX<double>& A) noexcept {
  return Solver(A, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace armature::numerics
