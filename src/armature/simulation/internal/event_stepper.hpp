// What the integrators that control their error have in common.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::simulation {

/// Carries x' = f(t, x) forward and stops where a guard falls below zero. At a restart every guard is positive.
class EventStepper {
 public:
  using Function = std::function<void(double t, const double* x, double* out)>;
  virtual ~EventStepper() = default;
  /// Starts anew at t from x: the state or f jumped.
  virtual void restart(double t, const Eigen::VectorXd& x) = 0;
  /// Moves t and x to `until` or to the first moment at which guards fall below zero; returns those.
  virtual const std::vector<int>& advance(double until, double& t, Eigen::VectorXd& x) = 0;
};

}  // namespace armature::simulation
