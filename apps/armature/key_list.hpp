// The keys of a file for people, as --help-keys prints them.
#pragma once

#include <string>
#include <vector>

#include "armature/formats/settings_yaml.hpp"
#include "names.hpp"

namespace armature::app {

/// Prints the keys that begin with `start`, or those of the kind with that name. `file` names what they are keys of: "a scenario". Throws
/// Error with a hint where there are none.
void print_keys(const std::vector<SettingKey>& keys, const std::string& file, const std::string& start);

}  // namespace armature::app
