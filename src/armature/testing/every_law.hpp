// Every control law, built for an arm: what holds for all of them is tested on all of them.
#pragma once

#include <string>
#include <vector>

#include "armature/control/controller.hpp"
#include "armature/model/arm.hpp"

namespace armature::testing {

struct NamedLaw {
  std::string name;
  AnyController law;
};

/// With moderate gains. Tasks are the tool's position for arms with fewer than six joints, its pose for others.
std::vector<NamedLaw> every_law(const Arm& arm);

}  // namespace armature::testing
