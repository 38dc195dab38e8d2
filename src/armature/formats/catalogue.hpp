// The built-in arms: the files of arms/, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature {

/// In alphabetical order.
std::vector<std::string> catalogue_names();
/// The file of a built-in arm, as it is. Throws FormatError with a suggestion where there is no arm of this name.
std::string_view catalogue_text(std::string_view name);
Arm catalogue_arm(std::string_view name);

/// Name and file of every arm. Written by cmake/embed_arms.cmake.
std::vector<std::pair<std::string_view, std::string_view>> embedded_arms();

}  // namespace armature
