#include "scenario_options.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/scenario/scenario_yaml.hpp"
#include "terminal.hpp"

namespace armature {

namespace {

/// The keys of a scenario that begin with `prefix`, each with its meaning, values and default.
void print_keys(const std::string& prefix) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::string> names;
  for (const SettingKey& key : scenario_keys()) {
    names.push_back(key.key);
    if (!key.key.starts_with(prefix)) continue;
    std::string text = key.meaning;
    const std::string otherwise = key.fallback.empty() ? "" : "default " + key.fallback;
    const std::string both = key.value + (key.value.empty() || otherwise.empty() ? "" : "; ") + otherwise;
    if (!both.empty()) text += fmt::format(" ({})", both);
    rows.emplace_back(key.key, text);
  }
  if (rows.empty()) {
    const auto near = nearest_word(prefix, names);
    std::erase_if(names, [](const std::string& name) { return name.find('.') != std::string::npos; });
    throw Error(
        fmt::format("no key of a scenario begins with '{}'", printable(prefix)),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("they begin with {}", fmt::join(names, ", ")));
  }
  fmt::print("{}", explained(rows, text_width()));
}

}  // namespace

void ScenarioOptions::add_to(Verb& verb) {
  verb.argument("SCENARIO", scenario, "a scenario file (.yaml)")
      .list("--set", "KEY=VALUE", settings, "replace a setting of the file, e.g. run.duration=2s; may be repeated")
      .immediate("--help-keys", "PREFIX", "list the keys of a scenario file that begin with PREFIX, or all, and exit",
                 print_keys);
}

Overrides ScenarioOptions::overrides() const {
  Overrides pairs;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("--set {}: there is no '='", printable(setting)), "write --set run.duration=2s");
    pairs.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return pairs;
}

LoadedScenario ScenarioOptions::load() const {
  LoadedScenario loaded = load_scenario(scenario, overrides());
  for (const std::string& warning : loaded.warnings) warn(warning);
  return loaded;
}

}  // namespace armature
