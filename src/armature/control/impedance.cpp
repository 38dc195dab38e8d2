#include "armature/control/impedance.hpp"

#include "armature/control/internal/force_parts.hpp"

namespace armature::control {

Impedance::Impedance(Arm believed, const ImpedanceSettings& s)
    : Law({.tool_reference = true, .wrench = s.force_measured},
          motion_and_force_parts(believed.dof(), s.dynamics.task)),
      dynamics_(std::move(believed), s.dynamics),
      mass_(task_masses(s.dynamics.task, s.mass)),
      kd_(task_gains(s.dynamics.task, "kd", s.kd)),
      kp_(task_gains(s.dynamics.task, "kp", s.kp)),
      force_measured_(s.force_measured) {}

void Impedance::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  dynamics_.observe(y, r);
  const TaskState& x = dynamics_.state();
  const TaskVector<double> spring = kd_.cwiseProduct(x.rate_error) + kp_.cwiseProduct(x.error);
  TaskVector<double> a = x.acceleration;
  if (force_measured_) {
    const TaskVector<double> h_A = x.force(dynamics_.task(), -y.wrench);
    a += (spring - h_A).cwiseQuotient(mass_);
    part(force_part) = -x.J_tool.transpose() * y.wrench;  // Jᵀ h_e
  } else {
    part(force_part) = x.J.transpose() * spring;
  }
  report(dynamics_.torques(y, a), x.error, parts_, tau);
  status_ = dynamics_.status();
}

void ImpedanceSettings::fields(Fields& f) {
  dynamics.task.fields(f);
  dynamics.list_inverse(f);
  list_tool_dynamics(f, dynamics.task.rows, mass, kd, kp);
  f.flag("force_measured", force_measured, "there is a force sensor");
}
ARMATURE_LAW(impedance, ImpedanceSettings, Impedance)

}  // namespace armature::control
