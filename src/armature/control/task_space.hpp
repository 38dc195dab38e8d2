// Coordinates of a task: which motions of the tool count, and how its orientation is written.
#pragma once

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/task.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

enum class Orientation {
  automatic,        ///< by quaternion; in a plane by its angle
  quaternion,       ///< twice the vector part of the quaternion from tool to target; no singularity below half a turn
  rotation_vector,  ///< axis times angle: exact in a plane, wrapped
  zyz,              ///< Euler angles; singular where sin(theta) = 0
  rpy               ///< roll, pitch, yaw; singular where cos(pitch) = 0
};

/// Rows 0 to 2 are the tool's position in the world, 3 to 5 its orientation: angles in world axes, or Euler angles.
struct TaskCoordinates {
  TaskRows rows = TaskRows::full();
  Orientation orientation = Orientation::automatic;
  bool wrap_angles = true;  // differences of Euler angles are taken the short way round
  void fields(Fields& f);
  [[nodiscard]] bool euler() const { return orientation == Orientation::zyz || orientation == Orientation::rpy; }

  static TaskCoordinates position() { return {TaskRows::position()}; }
  /// x, y and the angle about z.
  static TaskCoordinates planar() { return {{0, 1, 5}}; }
  static TaskCoordinates pose(Orientation orientation = Orientation::automatic) {
    return {TaskRows::full(), orientation};
  }
};

/// The setting `task`: which rows count, by the names pose, position, planar (x, y and the angle about z) and plane (x, y).
void list_task(Fields& f, TaskRows& rows);
/// The coordinates that a list of gains has a number for.
TaskAxes axes_of(const TaskRows& rows);

/// The task in one tick.
struct TaskState {
  Pose<double> X_WT;                 // tool
  Mat6X<double> J_tool;              // geometric, world axes
  TaskJacobian<double> J;            // xd = J qd
  TaskVector<double> Jd_qd;          // acceleration of the task at constant joint speeds
  TaskVector<double> rate;           // xd
  TaskVector<double> error;          // x_r - x
  TaskVector<double> rate_error;     // xd_r - xd
  TaskVector<double> acceleration;   // xdd_r
  bool representation_lost = false;  // Euler angles of tool or target are singular; the angles' rows of J are zero

  /// A wrench in world axes as a force in these coordinates: J_toolᵀ w = Jᵀ f for w within the task's rows.
  [[nodiscard]] TaskVector<double> force(const TaskCoordinates& task, const Vec6<double>& wrench) const noexcept;
  Mat3<double> E = Mat3<double>::Identity();  // w = E (rates of the angles); 1 for world axes
};

/// Allocates nothing.
void task_state(const Arm& arm, const TaskCoordinates& task, const VecX<double>& q, const VecX<double>& qd,
                const Reference& r, TaskState& out) noexcept;

/// One finite, not negative gain a coordinate, in the order of the rows. Empty: `otherwise`. Throws Error naming `what`.
TaskVector<double> task_gains(const TaskCoordinates& task, std::string_view what, const TaskVector<double>& gains,
                              double otherwise = 0);

}  // namespace armature::control
