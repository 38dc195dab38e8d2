#include "armature/formats/internal/xml_encoding.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "armature/core/characters.hpp"

namespace armature::formats {

namespace {

unsigned char octet(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

std::string from_utf16(std::string_view bytes, bool big_endian) {
  std::string text;
  const auto unit = [&](std::size_t i) -> char32_t {
    return big_endian ? octet(bytes, i) << 8 | octet(bytes, i + 1) : octet(bytes, i + 1) << 8 | octet(bytes, i);
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t code = unit(i);
    if (code >= 0xD800 && code < 0xDC00 && i + 3 < bytes.size() && unit(i + 2) >= 0xDC00 && unit(i + 2) < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
      i += 2;
    }
    text += utf8_of(code);
  }
  return text;
}

/// The rest of Windows-1252 is Latin-1; what it leaves open is a control character there, too.
std::string from_windows_1252(std::string_view bytes) {
  constexpr std::array<char32_t, 32> middle{0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                            0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                            0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                            0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned char c = octet(bytes, i);
    text += utf8_of(c >= 0x80 && c < 0xA0 ? middle[c - 0x80] : c);
  }
  return text;
}

/// What the XML declaration says, in small letters.
std::string declared_encoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return {};
  text = text.substr(0, text.find("?>"));
  const std::size_t key = text.find("encoding"), begin = std::min(text.find_first_of("\"'", key), text.size());
  if (key == std::string_view::npos || begin == text.size()) return {};
  std::string name(text.substr(begin + 1, text.find(text[begin], begin + 1) - begin - 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_at(text, i).length;
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void mend_comments(std::string& text) {
  for (std::size_t begin = text.find("<!--"); begin != std::string::npos; begin = text.find("<!--", begin)) {
    const std::size_t end = std::min(text.find("-->", begin), text.size());
    for (; begin < end; ++begin) {
      const std::size_t length = character_at(text, begin).length;
      if (length == 0) text[begin] = '?';
      begin += length == 0 ? 0 : length - 1;
    }
  }
}

}  // namespace

std::string utf8_of(char32_t code) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000) return {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
  return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F)),
          byte(0x80 | (code & 0x3F))};
}

std::string xml_in_utf8(std::string_view bytes) {
  std::string text;
  const std::string_view first = bytes.substr(0, 2);
  if (first == "\xFF\xFE" || first == "\xFE\xFF")
    text = from_utf16(bytes.substr(2), first[0] == '\xFE');
  else if (first == std::string_view("<\0", 2) || first == std::string_view("\0<", 2))
    text = from_utf16(bytes, first[0] == '\0');
  else if (is_utf8(bytes))
    text = bytes;
  else if (const std::string name = declared_encoding(bytes);
           name == "iso-8859-1" || name == "latin1" || name == "latin-1" || name == "windows-1252" || name == "cp1252")
    text = from_windows_1252(bytes);
  else
    mend_comments(text = bytes);
  for (std::size_t i = 0; i < text.size(); ++i)  // [XML 1.0, 2.11]
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) text[i] = '\n';
  return text;
}

}  // namespace armature::formats
