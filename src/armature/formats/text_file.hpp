// Text from outside: read whole, of bounded size, and clean before any parser sees it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "armature/core/error.hpp"

namespace armature::formats {

/// Turns an offset into a text into a place: line and column, both from 1, columns in characters.
class Lines {
 public:
  Lines(std::string_view text, std::string file);
  [[nodiscard]] Place at(std::size_t offset) const;

 private:
  std::string file_;
  std::size_t size_;
  std::vector<std::size_t> starts_{0};      // of the lines
  std::vector<std::size_t> continuations_;  // bytes that begin no character
};

/// The content of a regular file. Throws FormatError where it is missing, a folder, a device, unreadable or larger than
/// `largest` bytes.
std::string read_text_file(const std::string& path, std::size_t largest);

/// Throws FormatError with line and column unless `text` is valid UTF-8 without control characters (core/characters.hpp;
/// tab, line feed and CR LF are allowed), not blank, and at most `largest` bytes long. `file` is the name for messages.
void check_text(std::string_view text, const std::string& file, std::size_t largest);

/// `text` without the byte-order mark that some editors put before it.
std::string_view without_byte_order_mark(std::string_view text);

/// Whether a text taken from a file could upset a terminal: it holds control characters other than tab and line feed, or is
/// not UTF-8.
bool has_control_characters(std::string_view text);

}  // namespace armature::formats
