// The built-in arms: the files of arms/, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature::formats {

/// In alphabetical order.
std::vector<std::string> catalogue_names();
/// The file of a built-in arm, as it is. Throws FormatError with a suggestion where there is no arm of this name.
std::string_view catalogue_text(std::string_view name);
/// Returns the built-in arm of that name, with those of `kernels` that were written for it.
Arm catalogue_arm(std::string_view name, const KernelSet& kernels = {});

/// From now on the files NAME.yaml of this folder stand in for the built-in arms of the same names: to see what depends on them.
/// Throws FormatError where the folder has no such file, or one with another name. Not guarded against threads.
void replace_catalogue_arms(const std::string& folder);

/// Name and file of every arm. Written by cmake/embed_arms.cmake.
std::vector<std::pair<std::string_view, std::string_view>> embedded_arms();

}  // namespace armature::formats

namespace armature {
using formats::catalogue_arm;
}  // namespace armature
