#include "armature/control/force_control.hpp"

#include "armature/control/internal/force_parts.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/core/error.hpp"

namespace armature::control {

ForceControl::ForceControl(Arm believed, const ForceControlSettings& s)
    : Law({.tool_reference = s.parallel, .wrench_reference = true, .wrench = true},
          motion_and_force_parts(believed.dof(), s.dynamics.task)),
      dynamics_(std::move(believed), s.dynamics),
      settings_(s),
      mass_(task_masses(s.dynamics.task, s.mass)),
      kd_(task_gains(s.dynamics.task, "kd", s.kd)),
      kp_(task_gains(s.dynamics.task, "kp", s.kp)),
      force_kp_(task_gains(s.dynamics.task, "force_kp", s.force_kp)),
      force_ki_(task_gains(s.dynamics.task, "force_ki", s.force_ki)) {
  if (s.dynamics.task.euler()) throw Error("force control works in world axes", "choose quaternion or rotation_vector");
  number_at_least("largest_shift", s.largest_shift, 0);
  integral_ = rate_ = TaskVector<double>::Zero(s.dynamics.task.rows.count);
  parts_.push_back({"force_error", s.dynamics.task.rows.count > 3 ? "N, N m" : "N", integral_});
  parts_.push_back({"force_shift", s.dynamics.task.rows.count > 3 ? "m, rad" : "m", integral_});
}

void ForceControl::reset(const Measurement& y) {
  integral_.setZero();
  origin_ = {};
  if (settings_.from_start)
    origin_.X_WT = tool_pose<double>(dynamics_.arm(), forward_kinematics<double>(dynamics_.arm(), y.q));
  status_ = {};
}

void ForceControl::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  dynamics_.observe(y, settings_.parallel ? r : origin_);
  const TaskState& x = dynamics_.state();
  const TaskVector<double> error = x.force(dynamics_.task(), r.wrench + y.wrench);  // f_r - f_e
  rate_ = force_ki_.cwiseProduct(error);
  add_within(integral_, rate_, dt, settings_.largest_shift);
  const TaskVector<double> shift = force_kp_.cwiseProduct(error) + integral_;
  const TaskVector<double> a =
      x.acceleration + (kd_.cwiseProduct(x.rate_error) + kp_.cwiseProduct(shift + x.error)).cwiseQuotient(mass_);
  part(force_part) = -x.J_tool.transpose() * y.wrench;  // Jᵀ f_e
  report(dynamics_.torques(y, a), x.error, parts_, tau);
  part(6) = error;
  part(7) = shift;
  status_ = dynamics_.status();
}

void ForceControlSettings::fields(Fields& f) {
  list_task(f, dynamics.task.rows);
  dynamics.list_inverse(f);
  list_tool_dynamics(f, dynamics.task.rows, mass, kd, kp);
  f.task("force_kp", force_kp, task_dimension::compliance, axes_of(dynamics.task.rows),
         "shift of the target per force error", Range::not_negative);
  f.task("force_ki", force_ki, task_dimension::compliance_rate, axes_of(dynamics.task.rows),
         "shift per integral of the force error", Range::not_negative, required);
  f.flag("from_start", from_start, "the target is where the tool starts; else the world's origin");
  f.number("largest_shift", largest_shift, dimension::length, "largest shift of the target by the integral",
           Range::positive);
}
ARMATURE_LAW(force, ForceControlSettings, ForceControl)

namespace {

struct ParallelForcePositionSettings : ForceControlSettings {
  ParallelForcePositionSettings() { parallel = true; }
};

}  // namespace
ARMATURE_LAW(parallel_force_position, ParallelForcePositionSettings, ForceControl)

}  // namespace armature::control
