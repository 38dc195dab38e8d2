#include "armature/control/operational_inverse_dynamics.hpp"

namespace armature::control {

OperationalInverseDynamics::OperationalInverseDynamics(Arm believed, const OperationalInverseDynamicsSettings& s)
    : Law({.tool_reference = true}, term_parts(believed.dof())),
      dynamics_(std::move(believed), s.dynamics),
      kp_(task_gains(s.dynamics.task, "kp", s.kp)),
      kd_(task_gains(s.dynamics.task, "kd", s.kd)) {
  parts_.push_back({"task_error", kp_.size() > 3 ? "m, rad" : "m", VecX<double>::Zero(kp_.size())});
}

void OperationalInverseDynamics::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  dynamics_.observe(y, r);
  const TaskState& x = dynamics_.state();
  const TermTorques& t =
      dynamics_.torques(y, x.acceleration + kd_.cwiseProduct(x.rate_error) + kp_.cwiseProduct(x.error));
  tau = t.report(parts_);
  part(4) = x.error;
  status_ = dynamics_.status();
}

void OperationalInverseDynamicsSettings::fields(Fields& f) {
  const auto axes = [this] { return axes_of(dynamics.task.rows); };
  dynamics.terms.fields(f);
  dynamics.task.fields(f);
  f.task("kp", kp, task_dimension::rate_squared, axes(), "squared frequency of the error", Range::not_negative,
         required);
  f.task("kd", kd, task_dimension::rate, axes(), "damping of the error", Range::not_negative, required);
  dynamics.list_inverse(f);
}
ARMATURE_LAW(operational_inverse_dynamics, OperationalInverseDynamicsSettings, OperationalInverseDynamics)

}  // namespace armature::control
