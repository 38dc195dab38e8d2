// What is left of a friction law where a format knows two numbers only.
#pragma once

#include <string>

#include "armature/model/friction.hpp"

namespace armature::formats {

struct PlainFriction {
  CoulombViscous law;    // the same torque at high speed, the mean of both directions where they differ
  std::string left_out;  // what it does not say: "Stribeck effect"; empty: nothing
};
PlainFriction plain_friction(const Friction& friction);

}  // namespace armature::formats
