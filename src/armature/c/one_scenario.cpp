#include "armature/c/internal/one_scenario.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "armature/c/boundary.hpp"
#include "armature/core/text.hpp"

namespace armature::c {

namespace {

/// The one that is meant: the scenario itself, or of several cases the one that is named.
LoadedScenario chosen_case(std::vector<LoadedScenario> cases, const std::string& name, const std::string& file) {
  if (cases.size() == 1 && name.empty()) return std::move(cases.front());
  std::vector<std::string> names;
  for (LoadedScenario& loaded : cases) {
    if (loaded.name == name) return std::move(loaded);
    names.push_back(loaded.name);
  }
  if (name.empty())
    throw Error(fmt::format("the scenario has {} cases", cases.size()),
                fmt::format("set case to one of them: {}", fmt::join(names, ", ")), {file});
  throw Error(fmt::format("there is no case '{}'", printable(name)), suggestion(name, names), {file});
}

/// What `load` returns; the place of a setting that was given is its key, without the option of the command line before it.
template <class Load>
LoadedScenario without_option(Load load) {
  try {
    return load();
  } catch (const Error& error) {
    constexpr std::string_view option = "--set ";
    Place place = error.place();
    if (!place.file.starts_with(option)) throw;
    place.file.erase(0, option.size());
    place.line = place.column = 0;
    throw Error(error.finding(), error.hint(), place);
  }
}

}  // namespace

LoadedScenario one_scenario(const char* scenario, const char* folder, SettingPairs settings) {
  const std::string text = &needed(scenario, "scenario");
  std::string name;
  std::erase_if(settings, [&](const auto& pair) {
    if (pair.first == "case") name = pair.second;
    return pair.first == "case";
  });
  const std::string file = folder ? (std::filesystem::path(folder) / "scenario.yaml").string() : text;
  return without_option([&] {
    return chosen_case(folder ? cases_from_text(text, file, settings, built_in_kernels())
                              : load_cases(file, settings, built_in_kernels()),
                       name, file);
  });
}

}  // namespace armature::c
