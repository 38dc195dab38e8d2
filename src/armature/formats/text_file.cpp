#include "armature/formats/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "armature/core/characters.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/byte_source.hpp"

namespace armature::formats {

namespace {

/// Tab and line feed are fit for text of several lines.
bool is_unfit(char32_t code) { return is_control(code) && code != '\t' && code != '\n'; }

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
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw FormatError("cannot be opened", "may you read it?", {path});
  return read_all(*bytes_of(std::move(file), path), largest, path);
}

void check_text(std::string_view text, const std::string& file, std::size_t largest) {
  if (text.size() > largest)
    throw FormatError(fmt::format("is larger than {} bytes", largest), "is this the right file?", {file, 1, 1});
  text = without_byte_order_mark(text);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw FormatError("the file is empty", "was it saved?", {file, 1, 1});
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.length == 0)
      throw FormatError(fmt::format("byte 0x{:02x} is not UTF-8 text", static_cast<unsigned char>(text[i])),
                        "save the file as UTF-8", Lines(text, file).at(i));
    const bool line_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (is_unfit(c.code) && !line_end)
      throw FormatError("control character " + character_name(c.code), "is this a text file? Remove the character",
                        Lines(text, file).at(i));
    i += c.length;
  }
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  return text;
}

bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.length == 0 || is_unfit(c.code)) return true;
    i += c.length;
  }
  return false;
}

}  // namespace armature::formats
