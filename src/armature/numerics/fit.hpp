// Nonlinear least squares: Levenberg–Marquardt with derivatives by differences.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "armature/rooms.hpp"

namespace armature::numerics {

struct FitResult {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;  // of x, for residuals of equal and independent errors
  double rms = 0;              // of the residuals
  int evaluations = 0;
  bool converged = false;
};

/// The x that makes the sum of squares of residual(x) smallest, from `start`; each x[k] is varied in units of scale[k].
FitResult fit(const std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& residual)>& residual,
              Eigen::Index residuals, const Eigen::VectorXd& start, const Eigen::VectorXd& scale);

}  // namespace armature::numerics
