// Inverse dynamics of a task: what the laws of motion and force in the operational space share.
#pragma once

#include "armature/control/rigid_terms.hpp"
#include "armature/control/task_inverse.hpp"
#include "armature/control/task_space.hpp"

namespace armature::control {

struct TaskDynamicsSettings {
  TaskCoordinates task;
  InverseSettings inverse;
  DynamicTerms terms;        // of the believed arm; without inertia the command acts as a joint torque, M replaced by 1
  double null_damping = 10;  // of motions that the task leaves free: qdd_0 = -null_damping qd there [1/s]

  /// The settings of how the task is inverted: null_damping and those of `inverse`. The laws list task and terms themselves.
  void list_inverse(Fields& f);
};

/// tau = M qdd_c + C qd + g,   qdd_c = J⁺ (a - Jd qd) - (1 - J⁺ J) null_damping qd: gives the task the acceleration a. The
/// pseudo-inverse is that of task_inverse.hpp.
class TaskDynamics {
 public:
  TaskDynamics(Arm believed, const TaskDynamicsSettings& settings);
  /// Looks where the task is.
  void observe(const Measurement& y, const Reference& r) noexcept;
  /// The torques of the task acceleration `a`, term by term.
  const TermTorques& torques(const Measurement& y, const TaskVector<double>& a) noexcept;

  [[nodiscard]] const TaskState& state() const { return state_; }
  [[nodiscard]] const TaskCoordinates& task() const { return settings_.task; }
  [[nodiscard]] const Arm& arm() const { return believed_; }
  [[nodiscard]] Status status() const { return status_; }
  bool switch_term(std::string_view name, bool on) noexcept { return settings_.terms.switch_term(name, on); }

 private:
  Arm believed_;
  TaskDynamicsSettings settings_;
  TaskState state_;
  TaskInverseResult inverse_;
  TermTorques torques_;
  Status status_;
};

}  // namespace armature::control
