#include "armature/formats/catalogue.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"

namespace armature {

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : embedded_arms()) names.emplace_back(name);
  return names;
}

std::string_view catalogue_text(std::string_view name) {
  for (const auto& [known, text] : embedded_arms())
    if (known == name) return text;
  throw FormatError(fmt::format("there is no built-in arm '{}'", printable(name)), suggestion(name, catalogue_names()));
}

Arm catalogue_arm(std::string_view name) {
  return checked_arm(read_arm_yaml(catalogue_text(name), fmt::format("arms/{}.yaml", name)));
}

}  // namespace armature
