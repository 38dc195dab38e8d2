// Decompositions that tests judge by. Eigen's, compiled once: they cost a test file many seconds.
#pragma once

#include <Eigen/Core>

namespace armature::testing {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);  // falling
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
/// X of the smallest |A X - B|.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace armature::testing
