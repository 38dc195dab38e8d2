// The text of a closed loop around one arm: rollout.hpp, and the functions that its Loop calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/codegen/derive/derive.hpp"

namespace armature::codegen {

/// The file codegen/rollout.hpp, which this library carries with it.
std::string_view rollout_header();

/// Numbers in the equations of motion that may differ from run to run: ten regrouped moments of each body, joint by joint, then the
/// inertia of each joint's rotor [kg m²]. Arms with the same joint axes have the same equations in them.
std::vector<double> motion_parameters(const Arm& arm, const VecX<double>& rotors);

struct RolloutFunctions {
  std::vector<double> parameters;   // of the true arm: motion_parameters()
  std::vector<std::size_t> varied;  // which of them are arguments, in this order
  bool energy = true, gravity = true, inverse_dynamics = true, jacobian = true;  // written; the others are left out
  double effort = 0.2;                                                           // DeriveSettings
};

/// CUDA text that is C++ too: function templates loop_forward_dynamics(q, qd, tau, p, qdd), loop_energy(q, qd, p, E) (kinetic and
/// potential, the latter up to a constant) and loop_forward_kinematics(q, R, p) of the true arm; loop_gravity(q, g),
/// loop_inverse_dynamics(q, qd, qdd, tau), loop_believed_kinematics(q, R, p) and loop_jacobian(q, J) of the believed one.
std::string rollout_functions(const Arm& truth, const Arm& believed, const RolloutFunctions& wanted);

}  // namespace armature::codegen
