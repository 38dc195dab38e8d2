#include "armature/control/internal/force_parts.hpp"

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"

namespace armature::control {

std::vector<Part> motion_and_force_parts(int dof, const TaskCoordinates& task) {
  std::vector<Part> parts = term_parts(dof);
  parts.push_back({"force", "", VecX<double>::Zero(dof)});
  parts.push_back({"task_error", task.rows.count > 3 ? "m, rad" : "m", VecX<double>::Zero(task.rows.count)});
  return parts;
}

void report(const TermTorques& t, const TaskVector<double>& error, std::vector<Part>& parts,
            VecX<double>& tau) noexcept {
  tau = t.report(parts) + parts[force_part].value;
  parts[force_part + 1].value = error;
}

TaskVector<double> task_masses(const TaskCoordinates& task, const TaskVector<double>& masses) {
  const TaskVector<double> checked = task_gains(task, "mass", masses, 1);
  if (checked.minCoeff() <= 0) throw Error("mass has a number that is not positive", "give positive masses");
  return checked;
}

void add_within(TaskVector<double>& integral, TaskVector<double>& rate, double dt, double limit) noexcept {
  for (Eigen::Index i = 0; i < integral.size(); ++i) {
    if (!std::isfinite(rate[i])) rate[i] = 0;  // no number teaches nothing
    integral[i] = std::clamp(integral[i] + dt * rate[i], -limit, limit);
    if (std::abs(integral[i]) >= limit && integral[i] * rate[i] > 0) rate[i] = 0;
  }
}

void list_tool_dynamics(Fields& f, const TaskRows& rows, TaskVector<double>& mass, TaskVector<double>& kd,
                        TaskVector<double>& kp) {
  const TaskAxes axes = axes_of(rows);
  f.task("mass", mass, task_dimension::inertia, axes, "that the tool is to have", Range::positive);
  f.task("kd", kd, task_dimension::damping, axes, "damping of the tool", Range::not_negative, required);
  f.task("kp", kp, task_dimension::stiffness, axes, "stiffness of the tool", Range::not_negative, required);
}

}  // namespace armature::control
