// Names that try to leave the place where they stand: what every file, page and program that holds names is tested on.
#pragma once

#include <string>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::testing {

/// `count` names, the same every time: keywords, ends of strings, comments and elements of every language that is written, escape
/// sequences, line breaks of every kind, control characters, bytes that are no text, names that are too long or empty.
std::vector<std::string> hostile_names(std::size_t count);

/// Those of them that are names by the rule in core/characters.hpp.
std::vector<std::string> hostile_names_in_order(std::size_t count);

}  // namespace armature::testing
