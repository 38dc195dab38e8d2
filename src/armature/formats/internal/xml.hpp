// XML as a tree in which every element and attribute knows its place: elements, attributes, comments and the five named
// entities. DOCTYPE, entities of one's own and deep nesting are refused, so a text is never larger in memory than on disk.
// Text between elements is skipped: no format read here has any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "armature/core/error.hpp"

namespace armature::formats {

inline constexpr std::size_t largest_xml = 4 << 20;  // [bytes]
inline constexpr std::size_t deepest_xml = 64;       // elements inside each other
inline constexpr std::size_t most_xml_elements = 100'000;
inline constexpr const char* saved_page = "was the file saved from a browser? take its raw text";  // a hint for HTML

struct XmlAttribute {
  std::string name, value;
  Place place;  // of the value
};

struct XmlElement {
  std::string name;
  Place place;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
};

/// The root element of a text in one of the encodings of internal/xml_encoding.hpp. Throws FormatError with file, line, column and hint.
XmlElement parse_xml(std::string_view bytes, const std::string& file);

}  // namespace armature::formats
