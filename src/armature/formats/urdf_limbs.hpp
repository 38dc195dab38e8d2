// The limbs of a URDF: which joints move one after the other, where an arm ends and its hand begins, and which frame is its tool.
//
// A limb is a way from the base along joints that turn or slide. Where all ways have the same joints there is one. Elsewhere,
// what is beyond an arm and moves is held still, as its hand:
//   - a joint whose name or link speaks of a finger, gripper, jaw, knuckle, thumb or claw, with nothing but such joints beyond,
//   - a joint that a sibling mimics, likewise,
//   - two or more joints that leave one body, each with less reach than a third of the way to that body.
// What then still branches are several limbs. A joint that mimics, floats or glides in a plane belongs to no limb.
#pragma once

#include <string>
#include <vector>

#include "armature/formats/parsed_arm.hpp"
#include "armature/formats/urdf_tree.hpp"

namespace armature::formats {

struct UrdfLimb {
  std::vector<std::size_t> axes;  // joints, from the base outwards
  std::size_t tip = 0;            // the tool frame among the links beyond the last axis
  std::string why;                // it is this one; empty: there is no other
};

/// The limbs below `base`, in the order of the file; `held` says which joints do not move.
std::vector<UrdfLimb> find_limbs(const UrdfTree& tree, std::size_t base, const std::vector<bool>& held);

/// Whether the joint's name or that of its link speaks of a hand.
bool is_called_finger(const UrdfTree& tree, const UrdfJoint& joint);

/// The limbs as a tree with joints and masses, each with the command that shows it; `base` goes into it if it is not empty.
std::string limbs_text(const UrdfTree& tree, const std::vector<UrdfLimb>& limbs, const std::string& file,
                       const std::string& base);

/// Every link and joint as an indented tree, and the commands for its limbs. What cannot be read is said beside it and, with place
/// and hint, in `faults`.
ArmTree urdf_tree_text(std::string_view text, const std::string& file);

}  // namespace armature::formats
