// XML as the programs of several decades write it, as UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::formats {

/// A character's bytes.
std::string utf8_of(char32_t code);

/// The text in UTF-8 with line feeds. UTF-16 is known by its byte order mark or by its first character, Latin-1 and Windows-1252 by
/// the XML declaration; where nothing is declared, bytes that are not UTF-8 become question marks inside comments, which nobody
/// reads, and stay as they are elsewhere, for the reader to refuse.
std::string xml_in_utf8(std::string_view bytes);

}  // namespace armature::formats
