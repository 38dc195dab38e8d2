// Options of a verb from settings that list themselves (core/fields.hpp): the name, the default and the meaning of an option
// stand beside the setting and nowhere else.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "armature/formats/settings_yaml.hpp"
#include "command_line.hpp"

namespace armature::app {

class SettingOptions {
 public:
  /// One option per field: --gain-margin for gain_margin. The object must live as long as the verb.
  void add_to(Verb& verb, const ListFields& list);
  /// Puts what was typed into the settings. Throws Error that names the option.
  void read(const ListFields& list) const;

 private:
  std::map<std::string, std::optional<std::string>> texts_;  // by key
  std::map<std::string, bool> flags_;
};

}  // namespace armature::app
