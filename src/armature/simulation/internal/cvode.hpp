// SUNDIALS CVODE behind a small door: a stiff integrator that stops where a guard falls below zero.
#pragma once

#include <memory>

#include "armature/simulation/internal/event_stepper.hpp"

namespace armature::simulation {

class Cvode final : public EventStepper {
 public:
  Cvode(int states, int guards, double relative, double absolute, Function rhs, Function guard);
  ~Cvode() override;
  void restart(double t, const Eigen::VectorXd& x) override;
  const std::vector<int>& advance(double until, double& t, Eigen::VectorXd& x) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace armature::simulation
