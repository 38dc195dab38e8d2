// A rigid arm that moves freely, as MuJoCo integrates it.
#pragma once

#include <memory>

#include "armature/model/arm.hpp"

namespace armature::testing {

/// No friction, no limits, no contacts; gravity as the arm's.
class MujocoMotion {
 public:
  MujocoMotion(const Arm& arm, double step, bool fourth_order);  // Runge-Kutta 4, else semi-implicit Euler
  ~MujocoMotion();
  void start(const VecX<double>& q, const VecX<double>& qd);
  void step();
  [[nodiscard]] VecX<double> q() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace armature::testing
