// Estimators that look at the equations more than once: robust, total, maximum-likelihood, instrumental, recursive.
// Plain and weighted least squares on logs of any length are in estimate.hpp.
#pragma once

#include "armature/identification/estimate.hpp"

namespace armature::identification {

/// Equations in memory as evidence for least_squares: the same rows in the same order.
Evidence evidence_of(const Equations& equations);

struct RobustSettings {
  enum class Loss { huber, bisquare };
  Loss loss = Loss::huber;
  double threshold =
      0;  // in standard deviations; 0: 1.345 (huber) or 4.685 (bisquare), 95 % efficient for normal noise
  int iterations = 50;
};
/// Iteratively reweighted least squares: equations with large residuals count less [Huber1981]; joints weighted by the
/// median of their absolute residuals. `weights`, if given, receives the weight of each equation, 0 to 1.
Estimate robust_least_squares(const Equations& equations, const RobustSettings& settings = {},
                              std::vector<double>* weights = nullptr);

/// Total least squares: errors in the columns too [VanHuffel1991]. `column_error` has for each column the standard deviation of
/// its entries relative to that of the torque of weight one; zero: exact (friction offsets, ...). Joints are weighted as `noise` says.
/// The covariance is that of least squares in the same weights.
Estimate total_least_squares(const Equations& equations, const Eigen::VectorXd& column_error,
                             const VecX<double>& noise);

/// Maximum likelihood for normal noise that is correlated between joints: covariance and parameters are estimated in turn
/// [Zellner1962]. At least a thousandth of a joint's variance counts as its own. `covariance`, if given, receives that of the joints' residuals.
Estimate maximum_likelihood(const Equations& equations, Eigen::MatrixXd* covariance = nullptr, int iterations = 50);

/// Instrumental variables: (Z' W A) x = Z' W y with Z the columns of a motion without measurement noise - the reference, or a
/// simulation of the loop [Janot2014]: no bias from noise that feedback carries into the regressor. Rows of `instruments` match those of the equations.
Estimate instrumental_variables(const Equations& equations, const RowMatrix& instruments);

/// Recursive least squares with exponential forgetting: parameters while the arm moves. update() allocates nothing.
class RecursiveLeastSquares {
 public:
  /// Begins at `x` believed to `deviation`; `forgetting` 1: nothing, 0.999: over a thousand equations.
  RecursiveLeastSquares(Eigen::VectorXd x, const Eigen::VectorXd& deviation, double forgetting = 1);
  /// The equation row * x = y with noise of that standard deviation.
  void update(const Eigen::Ref<const Eigen::VectorXd>& row, double y, double noise) noexcept;
  [[nodiscard]] const Eigen::VectorXd& x() const { return x_; }
  [[nodiscard]] const Eigen::MatrixXd& covariance() const { return P_; }

 private:
  Eigen::VectorXd x_, gain_;
  Eigen::MatrixXd P_;
  double forgetting_;
};

}  // namespace armature::identification
