#include "run_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace armature::app {

namespace {

constexpr std::string_view plain_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
constexpr std::size_t longest = 80;

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Names that some systems give to devices, with or without an ending.
bool is_device(const std::string& name) {
  const std::string stem = lower_case(name.substr(0, name.find('.')));
  const bool numbered =
      stem.size() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) && stem[3] >= '0' && stem[3] <= '9';
  return numbered || stem == "con" || stem == "prn" || stem == "aux" || stem == "nul";
}

std::string folder_name(std::string name) {
  for (char& c : name)
    if (plain_characters.find(c) == std::string_view::npos) c = '_';
  name = name.substr(0, longest);
  if (name.empty()) name = "run";
  if (name.front() == '.') name.front() = '_';
  if (name.back() == '.') name.back() = '_';
  return is_device(name) ? "_" + name : name;
}

bool shared(const std::vector<std::string>& names, const std::string& name) {
  return std::count(names.begin(), names.end(), name) > 1;
}

}  // namespace

std::vector<std::string> run_names(const std::vector<LoadedScenario>& runs) {
  std::vector<std::string> names, longer;
  for (const LoadedScenario& run : runs) names.push_back(run.name.empty() ? run.scenario.scenario : run.name);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string file = std::filesystem::path(runs[i].places.of("").file).filename().string();
    longer.push_back(shared(names, names[i]) ? fmt::format("{} ({})", names[i], file) : names[i]);
  }
  std::set<std::string> taken;
  for (std::string& name : longer) {
    std::string own = name;
    for (int k = 2; !taken.insert(own).second; ++k) own = fmt::format("{} {}", name, k);
    name = own;
  }
  return longer;
}

std::vector<std::string> folder_names(const std::vector<std::string>& names) {
  std::set<std::string> taken{"index.html", "report.json"};  // of the comparison itself
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    const std::string wanted = folder_name(name);
    std::string own = wanted;
    for (int k = 2; !taken.insert(lower_case(own)).second; ++k) own = fmt::format("{}_{}", wanted, k);
    folders.push_back(own);
  }
  return folders;
}

}  // namespace armature::app
