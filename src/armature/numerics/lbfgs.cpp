#include "armature/numerics/lbfgs.hpp"

#include <cmath>
#include <deque>

namespace armature::numerics {

namespace {

struct Step {
  Eigen::VectorXd s, y;
  double rho;
};

/// -H g with the inverse Hessian H that the last steps suggest.
Eigen::VectorXd direction(const std::deque<Step>& steps, const Eigen::VectorXd& g) {
  Eigen::VectorXd d = -g;
  std::vector<double> alpha(steps.size());
  for (std::size_t k = steps.size(); k-- > 0;) {
    alpha[k] = steps[k].rho * steps[k].s.dot(d);
    d -= alpha[k] * steps[k].y;
  }
  if (!steps.empty()) d *= 1 / (steps.back().rho * steps.back().y.squaredNorm());
  for (std::size_t k = 0; k < steps.size(); ++k) d += (alpha[k] - steps[k].rho * steps[k].y.dot(d)) * steps[k].s;
  return d;
}

}  // namespace

double minimize(const SmoothFunction& f, Eigen::VectorXd& x, const LbfgsSettings& settings) {
  Eigen::VectorXd g(x.size()), new_g(x.size());
  double value = f(x, g);
  std::deque<Step> steps;
  std::deque<double> recent{value};
  for (int iteration = 0; iteration < settings.iterations; ++iteration) {
    Eigen::VectorXd d = direction(steps, g);
    double slope = g.dot(d);
    if (!(slope < 0)) {
      steps.clear();
      d = -g;
      slope = -g.squaredNorm();
      if (slope == 0) break;
    }
    // Armijo with bisection by interpolation, growing where the slope stays steep (weak Wolfe).
    double t = steps.empty() ? std::min(1.0, 0.1 * std::max(1.0, x.norm()) / d.norm()) : 1, low = 0, high = 0;
    Eigen::VectorXd candidate;
    double next = value;
    bool found = false;
    for (int trial = 0; trial < 25; ++trial) {
      candidate = x + t * d;
      next = f(candidate, new_g);
      if (!std::isfinite(next) || next > value + 1e-4 * t * slope) {
        high = t;
      } else if (new_g.dot(d) < 0.9 * slope) {
        low = t;
        found = true;
      } else {
        found = true;
        break;
      }
      t = high > 0 ? (low + high) / 2 : 2 * t;
    }
    if (!found || !(next < value)) {
      if (steps.empty()) break;
      steps.clear();
      continue;
    }
    const Eigen::VectorXd s = candidate - x, y = new_g - g;
    if (const double sy = s.dot(y); sy > 1e-12 * s.norm() * y.norm()) {
      steps.push_back({s, y, 1 / sy});
      if (steps.size() > static_cast<std::size_t>(settings.memory)) steps.pop_front();
    }
    x = candidate;
    g = new_g;
    value = next;
    if (settings.proceed && !settings.proceed(value)) break;
    recent.push_back(value);
    if (recent.size() > 10) {
      if (recent.front() - value < settings.tolerance) break;
      recent.pop_front();
    }
  }
  return value;
}

}  // namespace armature::numerics
