#include "text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace armature::app {

namespace {

/// Characters, not bytes, of a UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool looks_like_number(const std::string& text) {
  return !text.empty() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'));
}

}  // namespace

std::string text_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> lines(rows.size() + 1);
  for (std::size_t c = 0; c < header.size(); ++c) {
    const bool any = std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return !row[c].empty(); });
    if (!any) continue;
    const bool numbers = std::all_of(rows.begin(), rows.end(),
                                     [&](const auto& row) { return row[c].empty() || looks_like_number(row[c]); });
    std::size_t width = width_of(header[c]);
    for (const auto& row : rows) width = std::max(width, width_of(row[c]));
    for (std::size_t r = 0; r < lines.size(); ++r) {
      const std::string& cell = r == 0 ? header[c] : rows[r - 1][c];
      const std::string padding(width - width_of(cell), ' ');
      lines[r] += "  " + (numbers ? padding + cell : cell + padding);
    }
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  const std::string new_line = "\n" + std::string(indent, ' ');
  std::istringstream lines(text);
  std::string line, word, out;
  std::size_t used = indent;
  bool after_break = true;
  while (std::getline(lines, line)) {
    if (line.starts_with(' ')) {
      out += (out.empty() ? "" : new_line) + line;
      after_break = false;
      used = width;
      continue;
    }
    std::istringstream words(line);
    while (words >> word) {
      if (!after_break && used + 1 + width_of(word) > width) {
        out += new_line;
        used = indent;
        after_break = true;
      }
      out += (after_break ? "" : " ") + word;
      used += width_of(word) + (after_break ? 0 : 1);
      after_break = false;
    }
  }
  return out;
}

}  // namespace armature::app
