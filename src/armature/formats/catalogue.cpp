#include "armature/formats/catalogue.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/formats/yaml.hpp"

namespace armature::formats {

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : embedded_arms()) names.emplace_back(name);
  return names;
}

namespace {
std::map<std::string, std::string, std::less<>>& replaced_arms() {
  static std::map<std::string, std::string, std::less<>> texts;
  return texts;
}
}  // namespace

void replace_catalogue_arms(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().stem().string();
    (void)catalogue_text(name);
    replaced_arms()[name] = read_text_file(entry.path().string(), largest_yaml);
  }
  if (failed || replaced_arms().empty())
    throw FormatError(fmt::format("there is no file of a built-in arm in '{}'", printable(folder)),
                      "a copy of arms/rrr.yaml, say, under the same name");
}

std::string_view catalogue_text(std::string_view name) {
  if (const auto own = replaced_arms().find(name); own != replaced_arms().end()) return own->second;
  for (const auto& [known, text] : embedded_arms())
    if (known == name) return text;
  throw FormatError(fmt::format("there is no built-in arm '{}'", printable(name)), suggestion(name, catalogue_names()));
}

Arm catalogue_arm(std::string_view name, const KernelSet& kernels) {
  return checked_arm(read_arm_yaml(catalogue_text(name), fmt::format("arms/{}.yaml", name)), kernels);
}

}  // namespace armature::formats
