// Where the sources lie, for tests that read files of the project.
#pragma once

#include "armature/rooms.hpp"

namespace armature::testing {

/// The root of the source tree. Compiled into one object, so that all others are the same in every clone, and cached ones fit.
extern const char* const source_folder;

}  // namespace armature::testing
