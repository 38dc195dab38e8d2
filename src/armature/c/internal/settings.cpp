#include "armature/c/internal/settings.hpp"

#include <fmt/format.h>

#include <utility>

#include "armature/c/boundary.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/key_path.hpp"

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
    for (Yaml* tree : values_at(root, path, place, true)) {
      if (tree->kind != Yaml::Kind::nothing)
        throw FormatError(fmt::format("'{}' is set twice", printable(path)), "set it once", place);
      *tree = parse_yaml(value, path);
      tree->place = place;  // a setting has a name; lines and columns are for what stands inside it
    }
  }
  return root;
}

void read_pairs(const SettingPairs& pairs, const ListFields& list, const JointKinds& joints_slide) {
  SettingPlaces places;
  read_settings(yaml_of(pairs), joints_slide, places, list);
}

}  // namespace armature::c
