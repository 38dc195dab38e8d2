#include "armature/formats/markup.hpp"

#include <fmt/format.h>

namespace armature::formats {

std::string markup_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':  // as they are they would be read as blanks
        out += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace armature::formats
