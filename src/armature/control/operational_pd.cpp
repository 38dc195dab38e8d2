#include "armature/control/operational_pd.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

OperationalPd::OperationalPd(Arm believed, const OperationalPdSettings& s)
    : Law({.tool_reference = true}, torque_parts(believed.dof(), {"spring", "damper", "gravity"})),
      believed_(std::move(believed)),
      settings_(s) {
  settings_.kp = task_gains(s.task, "kp", s.kp);
  settings_.kd = task_gains(s.task, "kd", s.kd);
  number_at_least("zeta", s.zeta, 0);
  parts_.push_back({"task_error", s.task.rows.count > 3 ? "m, rad" : "m", VecX<double>::Zero(s.task.rows.count)});
}

void OperationalPd::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  task_state(believed_, settings_.task, y.q, y.qd, r, task_);
  status_ = task_.representation_lost ? Status(Condition::representation) : Status();
  part(0) = task_.J.transpose() * settings_.kp.cwiseProduct(task_.error);
  if (settings_.designed) {
    const TaskSquare<double> D =
        task_damping(task_.J, mass_matrix<double>(believed_, y.q), settings_.kp, settings_.zeta);
    part(1) = task_.J.transpose() * TaskVector<double>(D.lazyProduct(task_.rate_error));
  } else {
    part(1) = task_.J.transpose() * settings_.kd.cwiseProduct(task_.rate_error);
  }
  if (settings_.gravity)
    part(2) = gravity_torque<double>(believed_, y.q);
  else
    part(2) = VecX<double>::Zero(believed_.dof());
  part(3) = task_.error;
  tau = part(0) + part(1) + part(2);
}

void OperationalPdSettings::fields(Fields& f) {
  list_damping_ratio(f, zeta);
  f.flag("gravity", gravity, "gravity is compensated");
  task.fields(f);
  f.task("kp", kp, task_dimension::stiffness, axes_of(task.rows), "stiffness of the tool", Range::not_negative,
         required);
  f.task("kd", kd, task_dimension::damping, axes_of(task.rows), "damping of the tool", Range::not_negative);
  f.flag("designed", designed, "damping is designed for zeta; kd is not used");
}
AnyController OperationalPdSettings::make(const LawContext& in) const {
  if (kd.size() == 0 && !designed)
    in.refuse("", "the law 'operational_pd' needs the key 'kd'", "or `designed: true`, with zeta");
  return AnyController(OperationalPd(in.arm, *this));
}
ARMATURE_LAW(operational_pd, OperationalPdSettings)

}  // namespace armature::control
