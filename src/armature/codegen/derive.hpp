// From an arm to a program that computes one of its functions.
#pragma once

#include <optional>
#include <string_view>

#include "armature/codegen/program.hpp"
#include "armature/model/arm.hpp"

namespace armature {

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
};

/// "inverse-dynamics" and so on; none for any other word.
std::optional<Target> target_named(std::string_view word);
std::string_view word_for(Target target);
std::vector<Target> all_targets();

struct DeriveSettings {
  double effort = 1;  // how long to search for fewer operations; 0: not at all
};

/// Equal to the function of the same name in algorithms/ for this arm. The same arm and settings give the same program.
Program derive(const Arm& arm, Target target, const DeriveSettings& settings = {});

}  // namespace armature
