// Files that are kept compressed.
#pragma once

#include <string>

#include "armature/formats/table.hpp"

namespace armature {

/// The file at `path`, unpacked into a nameless temporary file where the name ends in .xz (by the program xz). Throws FormatError.
File open_maybe_compressed(const std::string& path);

}  // namespace armature
