#include "armature/algorithms/regressor_slope.hpp"

#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

TEST_CASE("the slope of a weighted sum of the regressor is what dual numbers find in the regressor itself") {
  Random random(31);
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const int n = arm.dof();
    Eigen::MatrixXd weights(n, parameters_per_link * n);
    for (double& x : weights.reshaped()) x = random.normal();
    const RegressorSlope slope = regressor_slope(arm, q, qd, qdd, weights);
    // q, qd and qdd, each along one joint
    const VecX<double> none = VecX<double>::Zero(n);
    const auto found = [&](const VecX<double>& dq, const VecX<double>& dqd, const VecX<double>& dqdd) {
      const Regressor<Dual> W =
          torque_regressor<Dual>(arm, with_slope(q, dq), with_slope(qd, dqd), with_slope(qdd, dqdd));
      double sum = 0;
      for (Eigen::Index i = 0; i < W.rows(); ++i)
        for (Eigen::Index c = 0; c < W.cols(); ++c) sum += weights(i, c) * W(i, c).slope;
      return sum;
    };
    VecX<double> by_q(n), by_qd(n), by_qdd(n);
    for (int j = 0; j < n; ++j) {
      const VecX<double> unit = VecX<double>::Unit(n, j);
      by_q[j] = found(unit, none, none);
      by_qd[j] = found(none, unit, none);
      by_qdd[j] = found(none, none, unit);
    }
    CHECK(relative_error(slope.q, by_q) < 1e-11);
    CHECK(relative_error(slope.qd, by_qd) < 1e-11);
    CHECK(relative_error(slope.qdd, by_qdd) < 1e-11);
  }
}
