// An arm from what a person types: the name of a built-in one, an arm file or a URDF.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/parsed_arm.hpp"

namespace armature {

struct LoadedArm {
  Arm arm;
  std::vector<std::string> warnings;  // for people; first of all why the arm is unphysical, if it is
};

/// What is said of the arm, not yet checked. `base` and `tip` name the links between which the chain of a URDF lies;
/// empty: from the root to the only leaf. Throws FormatError.
ParsedArm read_arm(const std::string& name_or_path, const std::string& base = {}, const std::string& tip = {});

/// The arm, checked. Throws FormatError where it cannot be read, ModelError where it cannot be, both with place and hint.
LoadedArm load_arm(const std::string& name_or_path, const std::string& base = {}, const std::string& tip = {});

/// An arm from the text of an arm file; `file` is the name for messages.
LoadedArm arm_from_yaml_text(std::string_view text, const std::string& file);

}  // namespace armature
