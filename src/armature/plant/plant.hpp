// What the world does with a command: a continuous system whose law changes at events (sticking, play, contact, limits).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/plant/elements.hpp"

namespace armature::plant {

/// In which of its laws each element is; constant between events. Springs with play and walls: -1, 0, +1 for contact on
/// either side or none; friction: 0 stuck, ±1 sliding; motors: ±1 at the current limit; time elements: on or off.
using Modes = std::vector<std::int8_t>;

/// A state or an output of a plant, for logs.
struct PlantQuantity {
  std::string name, unit;
};

/// What a guard's crossing meant.
struct PlantEvent {
  std::string kind;    // "stick", "slip", "contact", "release", "saturated", ...
  std::string detail;  // which element
};

/// What a log shows of a state.
struct PlantOutputs {
  double stored = 0;                           // energy [J]
  VecX<double> friction;                       // at the joints; of a stuck or locked one what it holds [N m | N]
  Pose<double> X_WT;                           // tool
  Vec6<double> wrench = Vec6<double>::Zero();  // as tool_wrench()
};

template <Scalar S>
struct Forces;  // what the elements do to the axes

/// x = (positions of the axes, their velocities, currents or states of linear drives, bristles, energy supplied, energy dissipated).
///
/// The laws of one mode are smooth; derivative() never looks at a condition, only at the modes, so an integrator may step
/// beyond an event and come back to it. guards() says how far each mode is from ending.
class Plant {
 public:
  /// Throws ModelError where an element names an axis that is not there or has an impossible number.
  explicit Plant(PlantDescription description);

  [[nodiscard]] int dof() const { return dof_; }    // joints of the arm
  [[nodiscard]] int axes() const { return axes_; }  // joints, rotors and angles of flexible links
  [[nodiscard]] int states() const { return static_cast<int>(state_names_.size()); }
  [[nodiscard]] int inputs() const { return static_cast<int>(d_.motors.size()); }
  [[nodiscard]] int guard_count() const { return guard_count_; }
  /// True when something sticks, has play, touches or saturates: events must be located.
  [[nodiscard]] bool hybrid() const { return guard_count_ > 0; }
  [[nodiscard]] const std::vector<PlantQuantity>& state_names() const { return state_names_; }
  [[nodiscard]] const PlantDescription& description() const { return d_; }
  /// The arm with the payload it carries in these modes; of a flexible one, with the joints of its links.
  [[nodiscard]] const Arm& arm(const Modes& modes) const;

  /// Joints at q moving with qd, every drive's spring without torque, no current; flexible links bent by the arm's weight.
  [[nodiscard]] Eigen::VectorXd state_at(const VecX<double>& q, const VecX<double>& qd) const;
  /// Modes that suit a state; velocities below rounding of sticking axes are set to zero.
  void settle(double t, double* x, const double* u, Modes& modes) const;
  [[nodiscard]] Modes modes_at(double t, Eigen::VectorXd& x, const double* u) const;

  /// dx/dt. Allocates nothing. For double and Dual.
  template <Scalar S>
  void derivative(double t, const S* x, const S* u, const Modes& modes, S* xd) const noexcept;
  /// Positive while the modes last; a guard that falls below zero ends one.
  void guards(double t, const double* x, const double* u, const Modes& modes, double* g) const noexcept;
  /// Moves to the modes behind guard `k`; velocities and bristles may jump, never so that energy is created.
  PlantEvent cross(int k, double t, double* x, const double* u, Modes& modes) const;
  /// Times at which something is switched on or off from outside, increasing.
  [[nodiscard]] const std::vector<double>& switching_times() const { return switching_times_; }
  /// Applies what is switched at `t`.
  PlantEvent switch_at(double t, double* x, const double* u, Modes& modes) const;

  /// Kinetic, potential, elastic and magnetic energy [J].
  [[nodiscard]] double stored_energy(const double* x, const Modes& modes) const noexcept;

  /// Torque between the sides of spring k, on the driven side.
  [[nodiscard]] double spring_torque(int k, const double* x, const Modes& modes) const noexcept;
  /// Motor k: its torque at the shaft.
  [[nodiscard]] double motor_torque(int k, const double* x, const double* u) const noexcept;
  /// Torques of the drives on the joints: of the motors, or of the springs behind them [N m | N].
  [[nodiscard]] VecX<double> drive_torque(const double* x, const double* u, const Modes& modes) const noexcept;
  /// Wrench (f; mu) of the walls and tool wrenches on the tool, in world axes, about the tool's origin.
  [[nodiscard]] Vec6<double> tool_wrench(double t, const double* x, const Modes& modes) const noexcept;
  /// All of it at once, for much is shared.
  [[nodiscard]] PlantOutputs outputs(double t, const double* x, const double* u, const Modes& modes) const noexcept;

 private:
  template <Scalar S>
  void forces(double t, const S* x, const S* u, const Modes& modes, Forces<S>& out) const noexcept;
  /// Accelerations of the axes; for stuck ones the torque that friction must hold is left in `held`.
  template <Scalar S>
  void accelerations(const S* x, const Modes& modes, Forces<S>& forces, S* a, S* held) const noexcept;
  /// What the axes hold of the arm's joints, in the order of its bodies.
  template <Scalar S>
  VecX<S> joints_of(const S* y) const noexcept {
    VecX<S> q(axis_of_body_.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = y[axis_of_body_[i]];
    return q;
  }
  /// Whether an axis is held, by a brake or by dry friction, and whether any is.
  [[nodiscard]] bool stuck(int axis, const Modes& modes) const noexcept {
    if (locked(axis)) return true;
    const int k = friction_of_axis_[axis];
    return k >= 0 && d_.friction[k].exact && modes[friction_modes_ + k] == 0;
  }
  [[nodiscard]] bool locked(int axis) const noexcept {
    return std::find(d_.locks.begin(), d_.locks.end(), axis) != d_.locks.end();
  }
  [[nodiscard]] bool anything_stuck(const Modes& modes) const noexcept {
    for (int i = 0; i < axes_; ++i)
      if (stuck(i, modes)) return true;
    return false;
  }
  [[nodiscard]] double stored_energy(const double* x, const LinkPoses<double>& poses,
                                     const Modes& modes) const noexcept;
  /// Position and velocity of the tool's origin in the world.
  struct ToolMotion {
    Vec3<double> p, velocity;
  };
  [[nodiscard]] ToolMotion tool_motion(const double* x, const Modes& modes) const noexcept;
  /// Whether motor k may saturate between two commands: an event.
  [[nodiscard]] bool watches_saturation(std::size_t k) const noexcept;
  void check_elements();
  void lay_out_states();
  void lay_out_modes();
  void prepare_arms();
  void bend_by_weight(Eigen::VectorXd& x) const;
  [[nodiscard]] int inner_states() const noexcept { return energy_state_ - 2 * axes_; }
  void release_overloaded(double t, double* x, const double* u, Modes& modes) const;

  PlantDescription d_;
  int dof_ = 0, axes_ = 0, guard_count_ = 0;
  std::vector<Arm> arms_;  // without change, and after each payload change
  std::vector<PlantQuantity> state_names_;
  std::vector<double> switching_times_;
  std::vector<int> axis_of_body_;                                             // of the arm in motion
  MatX<double> reflected_inertia_;                                            // in the order of its bodies; empty: none
  std::vector<int> friction_of_axis_;                                         // index or -1
  std::vector<int> linear_state_;                                             // first of a linear drive, or -1
  std::vector<int> current_state_, bristle_state_, dahl_state_, wall_state_;  // index into x or -1
  int energy_state_ = 0;
  // where each kind of element starts in Modes
  int spring_modes_ = 0, friction_modes_ = 0, motor_modes_ = 0, wall_modes_ = 0, wrench_modes_ = 0, payload_mode_ = 0,
      modes_ = 0;
  std::vector<int> guard_element_;  // what guard k watches: see plant.cpp
};

}  // namespace armature::plant
