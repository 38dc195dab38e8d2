#include "armature/formats/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "armature/core/text.hpp"

namespace armature {

namespace {

unsigned char byte(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// Bytes of the UTF-8 character that starts at `i`; 0 where none does [RFC 3629: no overlong forms, no surrogates].
std::size_t character_length(std::string_view text, std::size_t i) {
  const unsigned char first = byte(text, i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : (first & 0xF0) == 0xE0        ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(text, i + k) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(text, i + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || beyond ? 0 : length;
}

/// A control character (C0, DEL or C1) other than tab and line feed.
bool is_control(std::string_view text, std::size_t i) {
  const unsigned char c = byte(text, i);
  if (c == 0xC2 && i + 1 < text.size()) return byte(text, i + 1) < 0xA0;
  return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F;
}

}  // namespace

Lines::Lines(std::string_view text, std::string file) : file_(std::move(file)), size_(text.size()) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
    if ((text[i] & 0xC0) == 0x80) continuations_.push_back(i);
  }
}

Place Lines::at(std::size_t offset) const {
  offset = std::min(offset, size_);
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const std::size_t start = *(next - 1);
  const auto bytes_before = [&](std::size_t end) {
    return std::lower_bound(continuations_.begin(), continuations_.end(), end);
  };
  const auto characters = static_cast<std::ptrdiff_t>(offset - start) - (bytes_before(offset) - bytes_before(start));
  return {file_, static_cast<int>(next - starts_.begin()), static_cast<int>(characters) + 1};
}

std::string read_text_file(const std::string& path, std::size_t largest) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (status.type() == fs::file_type::directory) throw FormatError("is a folder", "name a file in it", {path});
  if (!fs::exists(status)) throw FormatError("there is no such file", "check the path and the spelling", {path});
  if (!fs::is_regular_file(status)) throw FormatError("is not a regular file", "name a file on disk", {path});
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FormatError("cannot be opened", "may you read it?", {path});
  std::string text(largest + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw FormatError("cannot be read", "is the disk sound?", {path});
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > largest)
    throw FormatError(fmt::format("is larger than {} bytes", largest), "no arm needs that much text", {path, 1, 1});
  return text;
}

void check_text(std::string_view text, const std::string& file, std::size_t largest) {
  if (text.size() > largest)
    throw FormatError(fmt::format("is larger than {} bytes", largest), "no arm needs that much text", {file, 1, 1});
  text = without_byte_order_mark(text);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw FormatError("the file is empty", "was it saved?", {file, 1, 1});
  for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
    length = character_length(text, i);
    if (length == 0)
      throw FormatError(fmt::format("byte 0x{:02x} is not UTF-8 text", byte(text, i)), "save the file as UTF-8",
                        Lines(text, file).at(i));
    const bool line_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (is_control(text, i) && !line_end)
      throw FormatError(fmt::format("control character 0x{:02x}", byte(text, i + length - 1)),
                        "is this a text file? Remove the character", Lines(text, file).at(i));
  }
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  return text;
}

bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_control(text, i)) return true;
  return false;
}

}  // namespace armature
