// MJCF, the model format of MuJoCo: written from any arm.
#pragma once

#include <string>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature::formats {

/// What the drive of a joint adds at the joint: algorithms/drive.hpp computes it.
struct MjcfDrive {
  double armature = 0;      // [kg m² | kg]
  CoulombViscous friction;  // of its shaft
};

/// The same arm for MuJoCo: one body a moving joint, its inertia to the last digit, with armature, damping, frictionloss, range
/// and a motor within the torque limit; boxes, cylinders and spheres of its looks; a site `tool`. Throws ModelError where MuJoCo would
/// refuse it: inertia that no body has, or none.
std::string write_mjcf(const Arm& arm, const std::vector<MjcfDrive>& drives);

/// What MJCF, as written here, does not say about the arm: "velocity limits". Empty: it says all.
std::vector<std::string> left_out_of_mjcf(const Arm& arm);

}  // namespace armature::formats
