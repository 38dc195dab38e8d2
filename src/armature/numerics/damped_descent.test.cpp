#include "armature/numerics/damped_descent.hpp"

#include <Eigen/Dense>
#include <vector>

#include "armature/testing/doctest.hpp"

using namespace armature::numerics;

namespace {

/// Rosenbrock's valley, r = (10 (y - x²), 1 - x), with its lowest point at (1, 1).
struct Valley {
  Eigen::Vector2d at{-1.2, 1}, r;
  Eigen::Matrix2d J;
  std::vector<double> costs;  // of the points that were reached

  static Eigen::Vector2d residual(const Eigen::Vector2d& x) { return {10 * (x[1] - x[0] * x[0]), 1 - x[0]}; }

  DampedDescent descend(const DampingSettings& settings, double enough = 0) {
    const auto linearize = [&] {
      r = residual(at);
      J << -20 * at[0], 10, -1, 0;
      costs.push_back(r.squaredNorm());
      return costs.back() > 1e-24;
    };
    const auto try_step = [&](double mu) {
      Eigen::Matrix2d A = J.transpose() * J;
      A.diagonal() *= 1 + mu;
      const Eigen::Vector2d there = at - Eigen::Vector2d(A.inverse() * (J.transpose() * r));
      const double gain = 1 - residual(there).squaredNorm() / r.squaredNorm();
      if (!(gain > 0)) return TriedStep::worse;
      at = there;
      return gain < enough ? TriedStep::settled : TriedStep::better;
    };
    return damped_descent(settings, linearize, try_step);
  }
};

}  // namespace

TEST_CASE("damped steps follow a curved valley to its lowest point, and none leads up") {
  Valley valley;
  const DampedDescent descent = valley.descend({.iterations = 100});
  CHECK(descent.end == DescentEnd::settled);
  CHECK((valley.at - Eigen::Vector2d::Ones()).norm() < 1e-10);
  for (std::size_t k = 1; k < valley.costs.size(); ++k) CHECK(valley.costs[k] < valley.costs[k - 1]);
  CHECK(static_cast<std::size_t>(descent.iterations) + 1 == valley.costs.size());  // the last point was good enough
}

TEST_CASE("a descent ends when it may, when a step gains too little, and when no step is better") {
  Valley few;
  CHECK(few.descend({.iterations = 3}).end == DescentEnd::out_of_patience);
  CHECK(few.costs.size() == 3);

  Valley easily_content;
  CHECK(easily_content.descend({.iterations = 100}, 0.9999).end == DescentEnd::settled);
  CHECK(easily_content.costs.size() == 1);

  std::vector<double> tried;
  const auto refuse = [&](double mu) {
    tried.push_back(mu);
    return TriedStep::worse;
  };
  const auto go_on = [] { return true; };
  CHECK(damped_descent({.first = 1, .rises = 4, .attempts = 3}, go_on, refuse).end == DescentEnd::nothing_lower);
  CHECK(tried == std::vector<double>{1, 4, 16});
  tried.clear();
  CHECK(damped_descent({.attempts = 9, .trials = 5}, go_on, refuse).end == DescentEnd::out_of_patience);
  CHECK(tried.size() == 5);
}

TEST_CASE("damping falls after every step that is taken, and no lower than it may") {
  std::vector<double> tried;
  const auto take = [&](double mu) {
    tried.push_back(mu);
    return TriedStep::better;
  };
  damped_descent(
      {.first = 1, .falls = 0.25, .least = 0.1, .iterations = 4}, [] { return true; }, take);
  CHECK(tried == std::vector<double>{1, 0.25, 0.1, 0.1});
}
