// Answers in JSON as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "armature/rooms.hpp"

namespace armature::run {

using Json = nlohmann::ordered_json;

/// Text that is not UTF-8 is repaired; a number that is not finite is a defect.
std::string text_of(const Json& answer);

}  // namespace armature::run
