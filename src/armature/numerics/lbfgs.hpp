// Minimization of a smooth function of many variables: L-BFGS [Nocedal2006, Algorithm 7.5].
#pragma once

#include <Eigen/Core>
#include <functional>

#include "armature/rooms.hpp"

namespace armature::numerics {

/// The value at x; writes the gradient.
using SmoothFunction = std::function<double(const Eigen::VectorXd& x, Eigen::VectorXd& gradient)>;

struct LbfgsSettings {
  int iterations = 100;
  int memory = 30;                            // steps remembered
  double tolerance = 1e-6;                    // ends when ten iterations gain less than this
  std::function<bool(double value)> proceed;  // called after each iteration; false ends
};

/// Lowers f from x on; returns the value reached. Deterministic.
double minimize(const SmoothFunction& f, Eigen::VectorXd& x, const LbfgsSettings& settings);

}  // namespace armature::numerics
