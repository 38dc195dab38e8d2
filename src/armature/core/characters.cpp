#include "armature/core/characters.hpp"

#include <fmt/format.h>

namespace armature::core {

Character character_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : (first & 0xF0) == 0xE0        ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || i + length > text.size()) return {};
  char32_t code = first & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(k) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

std::string character_name(char32_t code) {
  const auto number = static_cast<unsigned>(code);
  return number < 0x100 ? fmt::format("0x{:02x}", number) : fmt::format("U+{:04X}", number);
}

std::string escape_of(char32_t code) {
  const auto number = static_cast<unsigned>(code);
  return number < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

std::string visible(std::string_view text, std::string_view kept) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.length == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i++]));
    else if (is_control(c.code) && (c.length > 1 || kept.find(text[i]) == std::string_view::npos)) {
      out += escape_of(c.code);
      i += c.length;
    } else {
      out += text.substr(i, c.length);
      i += c.length;
    }
  }
  return out;
}

std::string flaw_of_name(std::string_view name, std::size_t longest) {
  if (name.empty()) return "is empty";
  if (name.size() > longest) return fmt::format("is longer than {} bytes", longest);
  for (std::size_t i = 0; i < name.size();) {
    const Character c = character_at(name, i);
    if (c.length == 0) return "is not UTF-8 text";
    if (is_control(c.code)) return "holds the control character " + character_name(c.code);
    i += c.length;
  }
  if (name.front() == ' ' || name.back() == ' ') return "begins or ends with a blank";
  return {};
}

}  // namespace armature::core
