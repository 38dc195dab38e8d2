// What the laws of force and motion report.
#pragma once

#include "armature/control/task_dynamics.hpp"

namespace armature::control {

inline constexpr std::size_t force_part = 4;  // place of "force" among the parts

/// inertia, coriolis, gravity, friction, force; and the task error.
std::vector<Part> motion_and_force_parts(int dof, const TaskCoordinates& task);
/// Writes all but the force, which stands there already, and adds everything up.
void report(const TermTorques& torques, const TaskVector<double>& error, std::vector<Part>& parts,
            VecX<double>& tau) noexcept;
/// Positive masses, one a coordinate; empty: one each. Throws Error.
TaskVector<double> task_masses(const TaskCoordinates& task, const TaskVector<double>& masses);

/// integral += dt rate, but not beyond ±limit: there the rate outwards becomes zero.
void add_within(TaskVector<double>& integral, TaskVector<double>& rate, double dt, double limit) noexcept;

/// The settings mass, kd and kp of the mass, damper and spring that the tool is to be.
void list_tool_dynamics(Fields& f, const TaskRows& rows, TaskVector<double>& mass, TaskVector<double>& kd,
                        TaskVector<double>& kp);

}  // namespace armature::control
