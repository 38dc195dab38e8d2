// From an arm to a program that computes one of its functions.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "armature/codegen/network/program.hpp"
#include "armature/model/arm.hpp"

namespace armature::codegen {

enum class Target {
  inverse_dynamics,
  forward_dynamics,
  mass_matrix,
  coriolis,
  gravity,
  forward_kinematics,
  jacobian,
  regressor,
  inverse_dynamics_derivatives,
  forward_dynamics_derivatives,
  motor_currents,      // of rigid bodies, rotors and friction, where the arm's drives state their torque constants
  motor_voltages,      // and the resistance of their windings
  inverse_kinematics,  // all branches of the closed form, where the arm's family has one
};

/// "inverse-dynamics" and so on; none for any other word.
std::optional<Target> target_named(std::string_view word);
std::string_view word_for(Target target);
std::vector<Target> all_targets();
/// All that this arm has: inverse kinematics only where there is a closed form, currents and voltages where its drives state
/// what they need.
std::vector<Target> targets_of(const Arm& arm);

struct DeriveSettings {
  double effort = 1;  // how long to search for fewer operations; 0: not at all
  /// Told now and then, by the thread that derives, which part of the work is done [0, 1]. May be empty.
  std::function<void(double)> progress{};
};

/// Writes one function of the arm as a program of arithmetic operations. Of an inverse kinematics: branches that do not reach the target are NaN. Motors: see algorithms/motor_commands.hpp. Throws Error where the arm has no such function.
/// Equal to the function of the same name in algorithms/ for this arm. The same arm and settings give the same program.
Program derive(const Arm& arm, Target target, const DeriveSettings& settings = {});

}  // namespace armature::codegen

namespace armature {
using codegen::derive;
}  // namespace armature
