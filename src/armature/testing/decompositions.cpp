#include "armature/testing/decompositions.hpp"

#include <Eigen/Dense>

namespace armature::testing {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
}
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) { return A.eigenvalues(); }
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) { return A.inverse(); }
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.colPivHouseholderQr().solve(B);
}

}  // namespace armature::testing
