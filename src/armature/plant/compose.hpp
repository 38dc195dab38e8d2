// A plant from an arm's own data: drives, gears, friction, as the arm's file describes them.
#pragma once

#include "armature/plant/plant.hpp"

namespace armature::plant {

/// A linear drive in place of what the arm's data say of one: winding, rotors, shafts and gear.
struct ReducedDrive {
  int joint = 1;  // its motor's, from 1
  /// As in LinearDrive, row by row; the command is the plant's, speed and torque are at the gear's slow side.
  std::vector<double> A, B, C, D;

  void fields(Fields& f);
};

struct ComposeOptions {
  enum class Drives {
    ideal,   ///< commanded torques act on the joints; rotors weigh nothing
    rigid,   ///< rotors turn with the joints through stiff gears: their inertia is reflected
    elastic  ///< rotors behind springs, where the arm's data have a stiffness; rigid elsewhere
  };
  Drives drives = Drives::rigid;
  bool flexible_links = true;  // where the arm's data have some
  Motor::Command command = Motor::Command::torque;
  std::vector<ReducedDrive> reduced;  // among elastic drives
  bool friction = true;
  VecX<double> viscous;      // friction in place of the arm's own [N m s/rad | N s/m]; empty: the arm's own
  bool exact_stick = false;  // laws with a jump: true sticking instead of a smoothed sign
  double smoothing = 1e-3;   // [rad/s]
  bool torque_limits =
      true;  // motors saturate: at the torque limits of the joints, and at currents and voltages of the drives

  void fields(Fields& f);
};

struct Composition {
  PlantDescription plant;
  /// Commands to the motors (joint torques, currents or, at standstill, voltages) = to_command * joint torques.
  Eigen::MatrixXd to_command;
};

/// Throws ModelError where the arm's data lack what the options need (a current command without a torque constant, ...).
/// Elastic transmissions stand between a rotor and what it turns: its joint, or with coupled joints the sum that its row of the
/// couplings says.
Composition compose(const Arm& arm, const ComposeOptions& options = {});

/// Puts viscous friction in place of the joints' own, one number per joint that moves; empty: it stays.
void set_viscous(const VecX<double>& viscous, ArmDescription& description);

/// What turns with the rotor itself: a drive's shaft without a tachometer and a gear's input that stand behind springs of their own.
struct RotorAlone {
  double inertia;  // [kg m²]
  CoulombViscous friction;
};
RotorAlone rotor_alone(const Drive& drive);

/// Puts the elastic joints of the arm's flexible links, each on its spring, behind the rotors that the plant has; no rotor may be
/// added afterwards. compose() does it where the arm has such links.
void add_flexible_links(const Arm& arm, PlantDescription& plant);

}  // namespace armature::plant
