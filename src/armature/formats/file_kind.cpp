#include "armature/formats/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/text_file.hpp"

namespace armature::formats {

namespace {

constexpr std::size_t beginning = 1 << 16;  // [bytes]

/// Whether a line begins with `key:`, as the outermost keys of YAML do.
bool has_key(std::string_view text, std::string_view key) {
  for (std::size_t begin = 0; begin < text.size(); begin = std::min(text.find('\n', begin), text.size() - 1) + 1)
    if (text.substr(begin).starts_with(key) && text.substr(begin + key.size()).starts_with(':')) return true;
  return false;
}

/// Whether the first line that is no comment is a header with a column `time`.
bool has_time_column(std::string_view text) {
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string_view header = text.substr(0, text.find_first_of("\r\n"));
  if (header.find(',') == std::string_view::npos) return false;
  for (bool more = true; more;) {
    const std::size_t comma = header.find(',');
    more = comma != std::string_view::npos;
    std::string_view cell = header.substr(0, comma);
    cell.remove_prefix(std::min(cell.find_first_not_of(" \""), cell.size()));
    if (cell.starts_with("time") &&
        (cell.size() == 4 || std::string_view(" [\"").find(cell[4]) != std::string_view::npos))
      return true;
    if (more) header.remove_prefix(comma + 1);
  }
  return false;
}

struct Words {
  const char* name;
  std::string hint;
};

Words words_for(FileKind kind, const std::string& path) {
  const std::string file = printable(path);
  switch (kind) {
    case FileKind::arm:
      return {"an arm file", fmt::format("`armature show {0}` shows it; a scenario names it as `robot: {0}`", file)};
    case FileKind::urdf:
      return {"a URDF", fmt::format("`armature show {0}` shows its arm; a scenario names it as `robot: {0}`", file)};
    case FileKind::scenario:
      return {"a scenario", fmt::format("`armature simulate {}` runs it", file)};
    case FileKind::campaign:
      return {"a campaign", fmt::format("`armature campaign {} -o DIR` runs it", file)};
    case FileKind::log:
      return {"a log",
              fmt::format("`armature report {0}` draws it; `armature identify ARM {0}` takes it after the arm", file)};
    case FileKind::log_map:
      return {"a map of a log's columns",
              fmt::format("it stands beside a log: `armature identify ARM LOG --map {}`", file)};
    case FileKind::unknown:
      break;
  }
  return {"", ""};
}

}  // namespace

FileKind kind_of_text(std::string_view text) {
  text = without_byte_order_mark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return FileKind::unknown;
  if (text[first] == '<') return text.find("<robot") != std::string_view::npos ? FileKind::urdf : FileKind::unknown;
  if (has_time_column(text.substr(first))) return FileKind::log;
  if (has_key(text, "campaign")) return FileKind::campaign;
  const bool arm = has_key(text, "arm"), scenario = has_key(text, "scenario");
  if (arm != scenario) return arm ? FileKind::arm : FileKind::scenario;
  if (!arm && has_key(text, "position") && (has_key(text, "torque") || has_key(text, "current")))
    return FileKind::log_map;
  return FileKind::unknown;
}

FileKind kind_of_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return FileKind::unknown;
  std::ifstream stream(path, std::ios::binary);
  std::string text(beginning, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return kind_of_text(text);
}

void refuse_other_kinds(const std::string& path, std::initializer_list<FileKind> wanted, std::string_view name) {
  FileKind kind = kind_of_file(path);
  std::error_code ignored;
  const std::vector<std::string> arms = catalogue_names();
  const bool built_in =
      std::find(arms.begin(), arms.end(), path) != arms.end() && !std::filesystem::exists(path, ignored);
  if (built_in) kind = FileKind::arm;
  if (kind == FileKind::unknown || std::find(wanted.begin(), wanted.end(), kind) != wanted.end()) return;
  const Words words = words_for(kind, path);
  throw FormatError(fmt::format("this is {}, not {}", built_in ? "a built-in arm" : words.name, name), words.hint,
                    {path});
}

}  // namespace armature::formats
