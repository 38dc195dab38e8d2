#include "armature/c/internal/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "armature/c/boundary.hpp"
#include "armature/core/text.hpp"

namespace armature::c {

SettingPairs setting_pairs(const char* const* settings, std::size_t count) {
  SettingPairs pairs;
  if (count > 0) needed(settings, "settings");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = &needed(settings[i], "settings[i]");
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("the setting '{}' has no '='", printable(text)), "write key=value");
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return pairs;
}

Yaml yaml_of(const SettingPairs& pairs) {
  Yaml root;
  root.kind = Yaml::Kind::map;
  root.place.file = "settings";
  for (const auto& [path, value] : pairs) {
    const Place place{path.substr(0, longest_name)};
    if (std::count(path.begin(), path.end(), '.') > static_cast<std::ptrdiff_t>(deepest_yaml))
      throw FormatError("the key of a setting has too many parts", "such as safety.on", place);
    Yaml* map = &root;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
      const std::string key = path.substr(begin, dot - begin);
      begin = dot + 1;
      Yaml* inner = nullptr;
      for (Yaml::Entry& entry : map->entries)
        if (entry.key == key) inner = &entry.value;
      if (!inner) {
        Yaml fresh;
        fresh.kind = Yaml::Kind::map;
        fresh.place = place;
        inner = &map->entries.emplace_back(Yaml::Entry{key, place, fresh}).value;
      }
      if (inner->kind != Yaml::Kind::map)
        throw FormatError(fmt::format("'{}' goes into something that has no keys", printable(path)), "set it once",
                          place);
      map = inner;
    }
    const std::string last = path.substr(begin);
    for (const Yaml::Entry& entry : map->entries)
      if (entry.key == last) throw FormatError(fmt::format("'{}' is set twice", printable(path)), "set it once", place);
    Yaml tree = parse_yaml(value, path);
    tree.place = place;  // a setting has a name; lines and columns are for what stands inside it
    map->entries.push_back({last, place, std::move(tree)});
  }
  return root;
}

void read_pairs(const SettingPairs& pairs, const ListFields& list, const JointKinds& joints_slide) {
  SettingPlaces places;
  read_settings(yaml_of(pairs), joints_slide, places, list);
}

}  // namespace armature::c
