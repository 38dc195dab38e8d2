#include "armature/control/hybrid_force_position.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "armature/control/internal/force_parts.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::control {

namespace {

/// A task vector of three or six numbers with each triple turned by R.
TaskVector<double> turned(const Mat3<double>& R, const TaskVector<double>& x) {
  TaskVector<double> y(x.size());
  for (Eigen::Index k = 0; k + 3 <= x.size(); k += 3) y.segment<3>(k) = R * x.segment<3>(k);
  return y;
}

/// "z", "x y", "z rx": along and about the axes of the selection frame.
std::array<bool, 6> axes_called(const std::string& axes) {
  const std::vector<std::string> names{"x", "y", "z", "rx", "ry", "rz"};
  std::array<bool, 6> chosen{};
  std::istringstream words(axes);
  for (std::string word; words >> word;) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      throw Error(fmt::format("force_axes names '{}'", printable(word)), suggestion(word, names));
    chosen[found - names.begin()] = true;
  }
  return chosen;
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
  frame_ = rotation_from_rpy(s.frame_rpy);
  force_axis_ = axes_called(s.force_axes);
  settings_.kd = task_gains(task, "kd", s.kd);
  settings_.kp = task_gains(task, "kp", s.kp);
  settings_.mass = task_masses(task, s.mass);
  settings_.force_kd = task_gains(task, "force_kd", s.force_kd);
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
  const Mat3<double> R_WS = settings_.frame_in_tool ? Mat3<double>(x.X_WT.R * frame_) : frame_;
  const Mat3<double> R_SW = R_WS.transpose();
  const TaskVector<double> error = turned(R_SW, x.error), rate_error = turned(R_SW, x.rate_error),
                           rate = turned(R_SW, x.rate), wanted = turned(R_SW, x.acceleration),
                           force = turned(R_SW, x.force(dynamics_.task(), r.wrench + y.wrench));  // f_r - f_e
  TaskVector<double> a(error.size());
  for (Eigen::Index i = 0; i < a.size(); ++i) rate_[i] = force_axis_[i] ? settings_.force_ki[i] * force[i] : 0;
  add_within(integral_, rate_, dt, settings_.largest_force);
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (force_axis_[i]) {
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

void HybridSettings::fields(Fields& f) {
  const auto axes = [this] { return axes_of(dynamics.task.rows); };
  list_task(f, dynamics.task.rows);
  f.task("kp", kp, task_dimension::rate_squared, axes(), "squared frequency of the error", Range::not_negative,
         required);
  f.task("kd", kd, task_dimension::rate, axes(), "damping of the error", Range::not_negative, required);
  dynamics.list_inverse(f);
  f.text("force_axes", force_axes, "axes of the selection frame along which force is controlled: z, or x y", required);
  f.angles("frame_rpy", frame_rpy, "roll, pitch, yaw of the selection frame", 3);
  f.flag("frame_in_tool", frame_in_tool, "it turns with the tool; else it stands in the world");
  f.task("mass", mass, task_dimension::inertia, axes(), "mass along the axes with force control", Range::positive);
  f.task("force_kd", force_kd, task_dimension::damping, axes(), "damping along the axes with force control",
         Range::not_negative);
  f.task("force_kp", force_kp, task_dimension::share, axes(), "force per force error", Range::not_negative);
  f.task("force_ki", force_ki, task_dimension::rate, axes(), "force per integral of the force error",
         Range::not_negative);
  f.number("largest_force", largest_force, dimension::force, "largest force of the integral", Range::positive);
}
AnyController HybridSettings::make(const LawContext& in) const {
  try {
    axes_called(force_axes);
  } catch (const Error& error) {
    in.refuse("force_axes", error.finding(), error.hint());
  }
  return AnyController(HybridForcePosition(in.arm, *this));
}
ARMATURE_LAW(hybrid_force_position, HybridSettings)

}  // namespace armature::control
