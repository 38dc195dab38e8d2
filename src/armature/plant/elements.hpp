// What a machine is made of besides its links: rotors, springs with play, motors, rubbing, walls.
//
// An axis is a joint of the arm (numbers 0 to dof-1), a rotor (from dof on) or an angle of a flexible link (behind the rotors).
// Everything else acts on axes. [N m] and [rad] stand for [N] and [m] at a sliding joint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/model/arm.hpp"
#include "armature/plant/axis_friction.hpp"
#include "armature/plant/motor.hpp"
#include "armature/plant/payload.hpp"
#include "armature/plant/spring.hpp"
#include "armature/plant/tool_wrench.hpp"
#include "armature/plant/wall.hpp"

namespace armature::plant {

/// A turning inertia that is not a link: a motor's rotor, a tachometer, a gear stage.
struct Rotor {
  std::string name;
  double inertia = 0;  // [kg m²]
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
