// Whether an arm can be set in motion by torques.
#pragma once

#include <string_view>

#include "armature/model/arm.hpp"

namespace armature::run {

/// What is asked of an arm: the more, the less may be wrong with it.
enum class ArmUse {
  kinematics,  // frames: no inertia is needed
  torques,     // that a motion needs: a body may have no mass
  motion       // that torques cause: with its rotors, every joint must have inertia
};

/// What computing a quantity (compute/quantities.hpp, inverse-kinematics, base-parameters) asks of it.
ArmUse quantity_use(std::string_view quantity);

/// Throws ModelError where the arm's inertia does not allow it. Possible bodies allow everything and cost nothing here.
void refuse_useless(const Arm& arm, ArmUse use);

}  // namespace armature::run
