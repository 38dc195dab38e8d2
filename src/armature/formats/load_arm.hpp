// An arm from what a person types: the name of a built-in one, an arm file or a URDF.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/arm_choice.hpp"
#include "armature/formats/parsed_arm.hpp"

namespace armature::formats {

/// An arm that was loaded comes with what its file leaves in doubt.
struct LoadedArm {
  Arm arm;
  std::vector<std::string> warnings;  // for people; first of all why the arm is unphysical, if it is
};

/// What is said of the arm, not yet checked. Throws FormatError.
ParsedArm read_arm(const std::string& name_or_path, const ArmChoice& choice = {});

/// Loads an arm from a file, or a built-in one by its name; it is checked, and takes those of `kernels` that were written for it (model/kernels.hpp). Throws FormatError where it cannot be read,
/// ModelError where it cannot be, both with place and hint.
///     load_arm("ur5e");  load_arm("robot.urdf");  load_arm("two_arms.urdf", {.tip = "left_tool0"});
LoadedArm load_arm(const std::string& name_or_path, const ArmChoice& choice = {}, const KernelSet& kernels = {});

/// Links and joints of a file or a built-in arm as an indented tree, with the limbs of a URDF. Throws FormatError where there is none.
ArmTree arm_tree_text(const std::string& name_or_path);

/// An arm from the text of an arm file; `file` is the name for messages.
LoadedArm arm_from_yaml_text(std::string_view text, const std::string& file);

}  // namespace armature::formats

namespace armature {
using formats::load_arm;
using formats::LoadedArm;
}  // namespace armature
