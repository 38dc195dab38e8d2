// Options of a verb from settings that list themselves (core/fields.hpp): the name, the default and the meaning of an option
// stand beside the setting and nowhere else.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "armature/formats/settings_yaml.hpp"
#include "armature/model/arm.hpp"
#include "command_line.hpp"

namespace armature::app {

class SettingOptions {
 public:
  /// How an option that takes a text or a list is spelled in the help: what stands for it, and words that shells complete.
  struct Spelling {
    std::string placeholder;
    std::vector<std::string> words{};
  };
  using Spellings = std::map<std::string, Spelling>;  // by key

  /// One option per field: --gain-margin for gain_margin. The object must live as long as the verb. A field whose spelling has no
  /// placeholder gets no option: the verb describes it in its own way.
  void add_to(Verb& verb, const ListFields& list, const Spellings& spellings = {});
  /// Puts what was typed into the settings; lists with one value per joint are of this arm. Throws Error that names the option.
  void read(const ListFields& list, const Arm* arm = nullptr) const;

 private:
  std::map<std::string, std::optional<std::string>> texts_;  // by key
  std::map<std::string, bool> flags_;
};

}  // namespace armature::app
