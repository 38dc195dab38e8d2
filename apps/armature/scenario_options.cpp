#include "scenario_options.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "terminal.hpp"

namespace armature {

void ScenarioOptions::add_to(Verb& verb) {
  verb.argument("SCENARIO", scenario, "a scenario file (.yaml)")
      .list("--set", "KEY=VALUE", settings, "replaces a setting of the file, e.g. run.duration=2s; may be repeated");
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
