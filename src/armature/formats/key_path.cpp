#include "armature/formats/key_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "armature/core/text.hpp"

namespace armature::formats {

namespace {

/// The item that the name or number means; null where there is none.
Yaml* item_of(Yaml& list, std::string_view word) {
  for (Yaml& item : list.list)
    for (const Yaml::Entry& entry : item.entries)
      if (entry.key == "name" && entry.value.text == word) return &item;
  const bool number = !word.empty() && word.size() < 6 && word.find_first_not_of("0123456789") == std::string::npos;
  if (!number) return nullptr;
  const auto at = static_cast<std::size_t>(std::stoi(std::string(word)));
  return at < list.list.size() ? &list.list[at] : nullptr;
}

class KeyWalk {
 public:
  KeyWalk(const std::string& key, const Place& place, bool make) : key_(key), place_(place), make_(make) {
    if (std::count(key.begin(), key.end(), '.') > static_cast<std::ptrdiff_t>(deepest_yaml))
      refuse("has too many parts", fmt::format("at most {}", deepest_yaml));
  }

  void from(Yaml& node, std::size_t start) {
    if (start > key_.size()) {
      found.push_back(&node);
      return;
    }
    const std::size_t dot = std::min(key_.find('.', start), key_.size());
    const std::string word = key_.substr(start, dot - start);
    if (word.empty()) refuse("has an empty name in it", "e.g. run.duration");
    if (node.kind == Yaml::Kind::list) return into_list(node, word, dot + 1);
    if (node.kind == Yaml::Kind::nothing && make_) node.kind = Yaml::Kind::map;
    if (node.kind != Yaml::Kind::map) refuse("goes into something that has no keys", "leave its end out");
    if (Yaml::Entry* entry = node.entry(word)) return from(entry->value, dot + 1);
    if (!make_) {
      std::vector<std::string> keys;
      for (const Yaml::Entry& entry : node.entries) keys.push_back(entry.key);
      refuse(fmt::format("names '{}', which has no value here", printable(word)), suggestion(word, keys));
    }
    Yaml fresh;
    fresh.place = place_;
    node.entries.push_back({word, place_, fresh});
    from(node.entries.back().value, dot + 1);
  }

  std::vector<Yaml*> found;

 private:
  void into_list(Yaml& node, const std::string& word, std::size_t next) {
    if (word == "*" && !node.list.empty()) {
      for (Yaml& item : node.list) from(item, next);
      return;
    }
    if (Yaml* item = item_of(node, word)) return from(*item, next);
    refuse(fmt::format("asks for item '{}' of a list of {}", printable(word), node.list.size()),
           "items count from 0, or go by their name; * is all of them");
  }
  [[noreturn]] void refuse(const std::string& finding, const std::string& hint) const {
    throw FormatError(fmt::format("the key '{}' {}", printable(key_), finding), hint, place_);
  }

  const std::string& key_;
  const Place& place_;
  bool make_;
};

}  // namespace

std::vector<Yaml*> values_at(Yaml& root, const std::string& key, const Place& place, bool make) {
  KeyWalk walk(key, place, make);
  walk.from(root, 0);
  return walk.found;
}

}  // namespace armature::formats
