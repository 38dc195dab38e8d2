// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::formats {

/// `text` as the content of an element, or as the value of an attribute in double quotes.
std::string markup_escaped(std::string_view text);

}  // namespace armature::formats
