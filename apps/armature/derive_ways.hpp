// What armature derive can do besides writing source text.
#pragma once

#include <string>

#include "armature/formats/load_arm.hpp"

namespace armature {

/// --against FILE: somebody's formulas, compared entry by entry. Exit code 1 where they differ.
int derive_against(const LoadedArm& loaded, const std::string& file, bool json);

}  // namespace armature
