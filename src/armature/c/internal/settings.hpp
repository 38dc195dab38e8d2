// "key=value" from C: as pairs, as YAML, and into settings that list themselves.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "armature/formats/settings_yaml.hpp"

namespace armature::c {

using SettingPairs = std::vector<std::pair<std::string, std::string>>;

/// Throws Error where a text is null or has no '='.
SettingPairs setting_pairs(const char* const* settings, std::size_t count);

/// A map with one entry a pair, "lock.torso" inside the map "lock". Throws FormatError where a value is no YAML.
Yaml yaml_of(const SettingPairs& pairs);

/// Puts the pairs into settings; lists with one value per joint are of joints that slide where it says so. Throws FormatError for a key
/// that they do not list.
void read_pairs(const SettingPairs& pairs, const ListFields& list, const JointKinds& joints_slide = {});

}  // namespace armature::c
