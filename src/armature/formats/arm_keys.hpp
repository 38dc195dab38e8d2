// The keys of an arm file as tables for people, from the lists of their fields (internal/arm_fields.hpp).
#pragma once

#include <string>
#include <vector>

#include "armature/formats/settings_yaml.hpp"

namespace armature::formats {

struct ArmKey {
  std::string key;
  std::string turning, sliding;  // what its value is at a joint that turns and at one that slides: a unit, or a form
  std::string fallback;          // its default; empty: none
  std::string meaning;
  bool required = false;
  /// "N*m (sliding: N)"
  [[nodiscard]] std::string value() const;
};

/// The keys of one map of an arm file.
struct ArmKeySection {
  std::string title;   // "friction: lugre"
  std::string prefix;  // of its keys in the file: "joints[].friction."
  std::string law;     // of friction; empty: of every law, or no friction
  std::vector<ArmKey> keys;
};

/// In the order of docs/arm_files.md.
std::vector<ArmKeySection> arm_key_sections();

/// Every key, in the same order, as those of a scenario are listed.
std::vector<SettingKey> arm_keys();

}  // namespace armature::formats
