#include "armature/control/hybrid_force_position.hpp"

#include <algorithm>

#include "armature/control/force_parts.hpp"
#include "armature/control/settings.hpp"
#include "armature/core/error.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature {

namespace {

/// A task vector of three or six numbers with each triple turned by R.
TaskVector<double> turned(const Mat3<double>& R, const TaskVector<double>& x) {
  TaskVector<double> y(x.size());
  for (Eigen::Index k = 0; k + 3 <= x.size(); k += 3) y.segment<3>(k) = R * x.segment<3>(k);
  return y;
}

}  // namespace

HybridForcePosition::HybridForcePosition(Arm believed, const HybridSettings& s)
    : Law({.tool_reference = true, .wrench_reference = true, .wrench = true},
          motion_and_force_parts(believed.dof(), s.dynamics.task)),
      dynamics_(std::move(believed), s.dynamics),
      settings_(s) {
  const TaskCoordinates& task = s.dynamics.task;
  const bool whole = task.rows.count == 3 ? task.rows.row[0] == 0 && task.rows.row[1] == 1 && task.rows.row[2] == 2
                                          : task.rows.count == 6;
  if (task.euler() || !whole)
    throw Error("hybrid control turns its coordinates into another frame",
                "choose the coordinates position, or pose with quaternions");
  if (!(orthogonality_error(s.frame) < 1e-6))
    throw Error("the selection frame is no rotation", "give three orthogonal unit axes, right-handed");
  settings_.kd = task_gains(task, "kd", s.kd), settings_.kp = task_gains(task, "kp", s.kp);
  settings_.mass = task_masses(task, s.mass), settings_.force_kd = task_gains(task, "force_kd", s.force_kd);
  settings_.force_kp = task_gains(task, "force_kp", s.force_kp);
  settings_.force_ki = task_gains(task, "force_ki", s.force_ki);
  number_at_least("largest_force", s.largest_force, 0);
  integral_ = rate_ = TaskVector<double>::Zero(task.rows.count);
  parts_.push_back({"force_error", task.rows.count > 3 ? "N, N m" : "N", integral_});
}

void HybridForcePosition::reset(const Measurement&) {
  integral_.setZero();
  status_ = {};
}

void HybridForcePosition::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  dynamics_.observe(y, r);
  const TaskState& x = dynamics_.state();
  const Mat3<double> R_WS = settings_.frame_in_tool ? Mat3<double>(x.X_WT.R * settings_.frame) : settings_.frame;
  const Mat3<double> R_SW = R_WS.transpose();
  const TaskVector<double> error = turned(R_SW, x.error), rate_error = turned(R_SW, x.rate_error),
                           rate = turned(R_SW, x.rate), wanted = turned(R_SW, x.acceleration),
                           force = turned(R_SW, x.force(dynamics_.task(), r.wrench + y.wrench));  // f_r - f_e
  TaskVector<double> a(error.size());
  for (Eigen::Index i = 0; i < a.size(); ++i)
    rate_[i] = settings_.force_axis[static_cast<std::size_t>(i)] ? settings_.force_ki[i] * force[i] : 0;
  add_within(integral_, rate_, dt, settings_.largest_force);
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (settings_.force_axis[static_cast<std::size_t>(i)]) {
      a[i] = (settings_.force_kp[i] * force[i] + integral_[i] - settings_.force_kd[i] * rate[i]) / settings_.mass[i];
    } else {
      a[i] = wanted[i] + settings_.kd[i] * rate_error[i] + settings_.kp[i] * error[i];
    }
  }
  part(force_part) = -x.J_tool.transpose() * y.wrench;  // Jᵀ f_e
  report(dynamics_.torques(y, turned(R_WS, a)), x.error, parts_, tau);
  part(6) = force;
  status_ = dynamics_.status();
}

}  // namespace armature
