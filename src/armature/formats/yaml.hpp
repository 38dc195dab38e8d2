// YAML as a tree in which every value knows its place. Anchors, aliases, tags, several documents, repeated keys and deep
// nesting are refused, so a text is never larger in memory than on disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/core/characters.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::formats {

inline constexpr std::size_t largest_yaml = 1 << 20;  // [bytes]
inline constexpr std::size_t deepest_yaml = 16;       // lists and maps inside each other
inline constexpr std::size_t most_yaml_values = 100'000;

struct Yaml {
  enum class Kind { nothing, text, list, map };
  struct Entry;

  Kind kind = Kind::nothing;
  Place place;
  std::string text;            // of Kind::text
  std::vector<Yaml> list;      // of Kind::list
  std::vector<Entry> entries;  // of Kind::map, in the order of the file; no key twice

  /// The entry of a key, null where there is none.
  Entry* entry(std::string_view key);
  [[nodiscard]] const Entry* entry(std::string_view key) const;
};
struct Yaml::Entry {
  std::string key;
  Place place;
  Yaml value;
};

/// Throws FormatError with file, line, column and hint.
Yaml parse_yaml(std::string_view text, const std::string& file);

/// A unit as files and the command line write it. A bare number beyond `largest_bare` is taken for one in `slip` (90 for 90 deg) and refused.
struct FileUnit {
  std::string_view text;  // "N*m*s/rad"
  Dimension dimension;
  double largest_bare = 0;  // 0: any
  std::string_view slip = {};
};

/// The quantity that `text` spells. Throws FormatError without a place, also for a bare number that `unit` refuses.
double quantity_in(std::string_view text, const FileUnit& unit);

/// What a value spells; each throws FormatError at the value's place where it spells something else. `what` names it in
/// the message: "the mass".
std::string text_of(const Yaml& value, std::string_view what);
/// A name by the one rule for names (core/characters.hpp).
std::string name_of(const Yaml& value, std::string_view what, std::size_t longest = longest_name);
double quantity_of(const Yaml& value, std::string_view what, const FileUnit& unit);
/// `count` quantities in one unit.
std::vector<double> quantities_of(const Yaml& value, std::string_view what, const FileUnit& unit, std::size_t count);
const std::vector<Yaml>& list_of(const Yaml& value, std::string_view what);
/// Which of `words` it is.
std::size_t choice_of(const Yaml& value, std::string_view what, const std::vector<std::string>& words);

/// A map while it is read. The keys asked for are the keys it may have: whoever reads it writes its schema.
class YamlMap {
 public:
  /// `what` names the map in messages: "joint 'elbow'".
  YamlMap(const Yaml& value, std::string what);

  /// Says that the map may have `key`, before it is asked for.
  void allow(std::string_view key);
  /// The value of `key`, or null where the map has no such key.
  const Yaml* find(std::string_view key);
  /// Throws FormatError where the map has no such key.
  const Yaml& at(std::string_view key);
  /// Throws FormatError at the first key nobody asked for. Call it when everything is read.
  void finish() const;

  void rename(std::string what) { what_ = std::move(what); }
  [[nodiscard]] const Place& place() const { return value_.place; }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  [[nodiscard]] bool is_allowed(std::string_view key) const;

  const Yaml& value_;
  std::string what_;
  std::vector<std::string> allowed_;
};

/// `text` as a YAML value that reads back as the same text: as it is, in quotes, or, where it is long and `indent` is
/// not 0, as a block of lines indented by that much.
std::string yaml_text(std::string_view text, std::size_t indent = 0);

}  // namespace armature::formats
