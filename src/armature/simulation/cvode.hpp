// SUNDIALS CVODE behind a small door: a stiff integrator that stops where a guard falls below zero. Inside the room only.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <vector>

namespace armature {

class Cvode {
 public:
  using Function = std::function<void(double t, const double* x, double* out)>;
  Cvode(int states, int guards, double relative, double absolute, Function rhs, Function guard);
  ~Cvode();
  /// Starts anew at t from x.
  void restart(double t, const Eigen::VectorXd& x);
  /// Moves t and x to `until` or to the first moment at which guards fall below zero; returns those.
  const std::vector<int>& advance(double until, double& t, Eigen::VectorXd& x);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace armature
