// Inverse dynamics in the operational space.
#pragma once

#include "armature/control/task_dynamics.hpp"

namespace armature::control {

struct OperationalInverseDynamicsSettings {
  TaskDynamicsSettings dynamics;
  TaskVector<double> kp;  // one a coordinate [1/s²]
  TaskVector<double> kd;  // [1/s]

  void fields(Fields& f);
};

/// tau = M J⁺ (xdd_r + kd (xd_r - xd) + kp (x_r - x) - Jd qd) + C qd + g   [Siciliano2009, (8.114)], [Verona2023, (69), (70)]
///
/// With Euler angles J is the analytical Jacobian and x_r - x is taken angle by angle; where they are singular their rows are
/// left out and Condition::representation says so. With quaternions the law is that of [Caccavale1998], without singularities
/// of representation; 2ε is the angle for small ones, so kp is the same pole for both.
class OperationalInverseDynamics : public Law {
 public:
  OperationalInverseDynamics(Arm believed, const OperationalInverseDynamicsSettings& settings);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return dynamics_.switch_term(name, on); }

 private:
  TaskDynamics dynamics_;
  TaskVector<double> kp_, kd_;
};
static_assert(Controller<OperationalInverseDynamics>);

}  // namespace armature::control
