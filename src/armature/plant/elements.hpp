// What a machine is made of besides its links: rotors, springs with play, motors, rubbing, walls.
//
// An axis is a joint of the arm (numbers 0 to dof-1), a rotor (from dof on) or an angle of a flexible link (behind the rotors).
// Everything else acts on axes. [N m] and
// [rad] stand for [N] and [m] at a sliding joint.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/core/fields.hpp"
#include "armature/model/arm.hpp"

namespace armature::plant {

inline constexpr int ground = -1;

/// A turning inertia that is not a link: a motor's rotor, a tachometer, a gear stage.
struct Rotor {
  std::string name;
  double inertia = 0;  // [kg m²]
};

/// A shaft, a gear or a belt between two axes, or from an axis to the ground. Its twist is measured on the driven side:
///     twist = driver/ratio + error_amplitude sin(error_order driver + error_phase) - driven - sum of factor * axis - rest
/// with the last sum over `coupled`: the joints that a coupled motor turns together.
/// Within ±backlash it carries nothing; beyond, with x the twist past the play,
///     torque = stiffness x + hardening x³ + damping d(twist)/dt
/// and it pushes only: a damper does not pull the teeth together. With a hysteresis torque, a Dahl element [Dahl1968] of
/// that limit and stiffness acts beside it.
struct Spring {
  std::string name;
  int driver = ground;                                           // axis on the motor's side
  int driven = ground;                                           // axis on the load's side
  double ratio = 1;                                              // driver turns a driven turn
  double stiffness = 0;                                          // [N m/rad]
  double hardening = 0;                                          // [N m/rad³]: stiffness that grows with the load
  double damping = 0;                                            // [N m s/rad]
  double backlash = 0;                                           // half the free play [rad]
  double error_amplitude = 0, error_order = 0, error_phase = 0;  // kinematic error of a gear [rad] [-] [rad]
  double hysteresis_torque = 0, hysteresis_stiffness = 0;        // [N m] [N m/rad]
  std::vector<std::pair<int, double>> coupled;                   // (axis, factor); `driven` is ground then
  double rest = 0;                                               // twist without load [rad]

  /// Play between a joint and the ground: the joint's end stops.
  [[nodiscard]] bool is_end_stop() const { return driver == ground && backlash > 0; }
};

/// The two end stops of an axis, as a spring with play: nothing in between, `stiffness` and `damping` beyond. Infinite: no stop
/// on that side.
Spring end_stops(std::string name, int axis, double lower, double upper, double stiffness, double damping);

/// Rubbing at an axis, one element an axis. Laws with a jump stick truly when `exact`; otherwise their sign is smoothed over
/// `smoothing`.
struct AxisFriction {
  int axis = 0;
  Friction law;
  bool exact = true;
  double smoothing = 1e-3;  // [rad/s]
  double gear_loss = 0;     // share of the torque from motors and springs that is lost on the way: 1 - efficiency
};

/// A motor and what feeds it. Its angle is the sum of factor * axis over `drives` (one pair (axis, factor) for a plain gear,
/// several for coupled joints), and its torque acts on those axes with the same factors.
struct Motor {
  enum class Command { torque, current, voltage };
  std::string name;
  std::vector<std::pair<int, double>> drives;
  Command command = Command::torque;
  double torque_constant = 1;           // [N m/A]
  double back_emf = 0;                  // [V s/rad]; in SI equal to the torque constant
  double resistance = 0;                // [ohm]
  double inductance = 0;                // [H]
  CoulombViscous friction;              // of its shaft, seen at its angle, its sign smoothed over `smoothing`
  double smoothing = 1e-3;              // [rad/s]
  std::optional<double> torque_limit;   // [N m]
  std::optional<double> current_limit;  // [A]
  std::optional<double> voltage_limit;  // [V]; holds for current commands too where there is a resistance
};

/// A plane that pushes back at the tool's origin: force = stiffness * depth + damping * speed of entry along the normal,
/// never pulling; along the plane a Dahl element with the limit friction * normal force.
struct Wall {
  std::string name = "wall";
  Vec3<double> point = Vec3<double>::Zero();    // on the plane [m]
  Vec3<double> normal = Vec3<double>::UnitZ();  // towards the free side; a plant needs a unit vector
  double stiffness = 0;                         // [N/m]
  double damping = 0;                           // [N s/m]
  double friction = 0;                          // coefficient [-]
  double tangential_stiffness = 0;              // [N/m]; needed for friction

  void fields(Fields& f);
};

/// A wrench (f; mu) [N, N m] on the tool in world axes, from one time to another.
struct ToolWrench {
  enum class Profile {
    constant,   ///< `wrench`
    ramp,       ///< from zero at `from` to `wrench` at `to`
    half_sine,  ///< a blow: one arch, `wrench` in the middle
    sine,       ///< `wrench` sin(2π frequency (t - from))
    table       ///< straight lines between the rows of a table, held before the first and after the last
  };
  double from = 0, to = 0;  // [s]
  Vec6<double> wrench = Vec6<double>::Zero();
  Profile profile = Profile::constant;
  double frequency = 0;             // [Hz]
  std::vector<double> times;        // of the table, counted from `from`, increasing [s]
  std::vector<Vec6<double>> table;  // at those times
  std::string file;                 // a CSV file that a scenario takes them from

  /// At a time between `from` and `to`.
  [[nodiscard]] Vec6<double> at(double t) const noexcept;
  void fields(Fields& f);
};

/// A body carried at the tool.
struct Load {
  double mass = 0;                              // [kg]; zero: nothing is carried
  Vec3<double> com = Vec3<double>::Zero();      // in the tool frame [m]
  Vec3<double> inertia = Vec3<double>::Zero();  // xx, yy, zz about the centre of mass [kg m²]

  void fields(Fields& f);
  /// Nothing where nothing is carried.
  [[nodiscard]] std::optional<MassProperties> body() const;
};

/// From this time on the tool carries this load.
struct PayloadChange {
  double time = 0;  // [s]
  Load load;

  void fields(Fields& f);
};

/// The arm whose links bend and twist: its joints and, between them, the angles of its flexible links, which springs hold.
struct FlexibleArm {
  Arm arm;                          // of all these joints
  std::vector<std::string> angles;  // names of the flexible angles, from base to tool
  std::vector<int> joint;  // what moves body i: a joint of the rigid arm, or dof + the number of a flexible angle
};

/// A machine. `arm` may be absent: a drive alone on the test bench.
struct PlantDescription {
  std::optional<Arm> arm;
  std::optional<FlexibleArm> flexible;  // its links are not rigid
  std::vector<Rotor> rotors;
  std::vector<Spring> springs;
  std::vector<AxisFriction> friction;
  std::vector<Motor> motors;  // the plant's inputs, in this order
  std::vector<Wall> walls;
  std::vector<ToolWrench> wrenches;
  std::vector<PayloadChange> payloads;  // in order of time
  std::vector<int> locks;               // axes that a brake holds where they are
  /// Inertia that rigidly geared rotors add to the arm's mass matrix (dof x dof); empty: none.
  MatX<double> reflected_inertia;
  /// What encoders and tachometers at the motors show of the joints: weights of all axes (dof x axes). Empty: what they would
  /// show at the joints.
  Eigen::MatrixXd motor_encoders, motor_tachometers;
};

}  // namespace armature::plant
