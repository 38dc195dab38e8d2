#include "armature/identification/estimate.hpp"

#include <cmath>

#include "armature/core/random.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

/// A constant read 6400 times in 128 parts, with noise x_k = phi x_{k-1} + white noise of unit size.
std::vector<LinearPart> readings_of_a_constant(double phi, Random& random) {
  std::vector<LinearPart> parts(128, {Eigen::MatrixXd::Constant(1, 1, 50), Eigen::VectorXd::Zero(1)});
  double noise = random.normal() / std::sqrt(1 - phi * phi);
  for (LinearPart& part : parts)
    for (int k = 0; k < 50; ++k) part.m[0] += noise = phi * noise + random.normal();
  return parts;
}

double share_inside(double phi, bool joined) {
  Random random(3);
  int inside = 0;
  constexpr int logs = 400;
  for (int log = 0; log < logs; ++log) {
    const std::vector<LinearPart> parts = readings_of_a_constant(phi, random);
    double sum = 0, freedom = 0;
    for (const LinearPart& part : parts) sum += part.m[0];
    const Eigen::MatrixXd V =
        joined ? correlated_covariance(parts, {}, freedom) : leave_one_out_covariance(parts, {}, freedom);
    inside += std::abs(sum / 6400) <= student_quantile(0.975, freedom) * std::sqrt(V(0, 0));  // the truth is zero
  }
  return static_cast<double>(inside) / logs;
}

}  // namespace

TEST_CASE("intervals hold where residuals are correlated over several parts, and stay as they are where not") {
  CHECK(share_inside(0.99, false) < 0.85);  // correlated over 200 readings, four parts
  CHECK(share_inside(0.99, true) > 0.88);
  CHECK(share_inside(0, true) > 0.92);
  CHECK(share_inside(0, true) < 0.98);
}
