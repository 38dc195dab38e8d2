// What the library says about every name that a model file may use, in one random state of one random arm.
#pragma once

#include "armature/codegen/equations/internal/named_arm.hpp"

namespace armature::codegen {

/// The arm's structure with random numbers, moving.
struct Draw {
  NamedValues parameters;
  VecX<double> q, qd, qdd;
  VecX<double> rotors;             // Jm1 ...: rotor inertias, each felt by its own joint alone [kg m²]
  std::optional<Vec3<double>> up;  // direction against gravity, if it is not the arm's own
};

struct DrawSettings {
  bool dynamics = true;          // else kinematics alone are asked for
  bool rotors = false;           // the torques include those that accelerate the rotors
  bool any_gravity = false;      // gravity points anywhere, also along the axes of the world
  int states = 8, inertias = 3;  // dynamics: every state with every inertia
  int positions = 120;           // kinematics
};

/// All with the same lengths. Some states have only some joints moving, so that terms show alone.
std::vector<Draw> random_draws(const Arm& arm, const DrawSettings& settings);

/// Values of the names:
///     q1 qd1 qdd1, the parameters of named_arm.hpp (zero where the arm has a zero), pi
///     x3 y3 z3 centre of mass; Icxx3 ... tensor about it; Pxy3 Pxz3 Pyz3 products of inertia with a positive sign, about
///       the origin of the link frame
///     Jm1 rotor inertia at the joint; eg1 eg2 eg3 unit vector against gravity
///     s1 c1 s12 c12 s123 ... sines and cosines of sums of consecutive joint angles
///     H11 ... H34 pose of the tool (rotation and position), x y z its position; J11 ... J6n its Jacobian (v; w)
///     M11 C11 g1 tau1 mass matrix, Coriolis matrix by Christoffel symbols, gravity, torque
NamedValues reference_names(const Arm& arm, const Draw& draw, const DrawSettings& settings);

/// "M12", or "M1_12" where an index has two digits.
std::string entry_name(const std::string& letter, int row, int column);

}  // namespace armature::codegen
