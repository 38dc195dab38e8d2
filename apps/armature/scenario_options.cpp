#include "scenario_options.hpp"

#include <fmt/format.h>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/scenario/scenario_yaml.hpp"
#include "key_list.hpp"
#include "terminal.hpp"

namespace armature::app {

void ScenarioOptions::add_to(Verb& verb) {
  verb.argument("SCENARIO", scenario, "a scenario file (.yaml)")
      .list("--set", "KEY=VALUE", settings, "replace a setting of the file, e.g. run.duration=2s; may be repeated")
      .list("--with", "FILE", with,
            "a file whose blocks replace those of the scenario, e.g. a controller that tune -o wrote; may be repeated")
      .option("--base", "LINK", base, "of a robot that is a URDF: the link at which the chain begins")
      .option("--tip", "LINK", tip, "of a robot that is a URDF: the link at which the chain ends")
      .list("--lock", "JOINT=VALUE", lock, "of a robot that is a URDF: hold a joint at a position; may be repeated")
      .flag("--as-given", as_given,
            "use the robot's file as it is: inertia that is missing or physically impossible, numbers that look like "
            "other units")
      .immediate("--help-keys", "PREFIX",
                 "list the keys of a scenario file that begin with PREFIX, those of one kind of law (computed_torque), "
                 "or all, and exit",
                 [](const std::string& start) { print_keys(scenario_keys(), "a scenario", start); });
}

Overrides parse_settings(const std::vector<std::string>& settings) {
  Overrides pairs;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("--set {}: there is no '='", printable(setting)), "write --set run.duration=2s");
    pairs.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return pairs;
}

Overrides ScenarioOptions::overrides() const {
  Overrides pairs;
  for (const std::string& file : with) pairs.emplace_back("", file);
  if (base) pairs.emplace_back("robot.base", yaml_text(*base));
  if (tip) pairs.emplace_back("robot.tip", yaml_text(*tip));
  std::string locks;
  for (const auto& [joint, position] : parse_locks(lock))
    locks += fmt::format("{}: {}\n", yaml_text(joint), yaml_text(position));
  if (!locks.empty()) pairs.emplace_back("robot.lock", locks);
  if (as_given) pairs.emplace_back("robot.as_given", "true");
  for (auto& pair : parse_settings(settings)) pairs.push_back(std::move(pair));
  return pairs;
}

LoadedScenario ScenarioOptions::load() const {
  LoadedScenario loaded = load_scenario(scenario, overrides(), built_in_kernels());
  for (const std::string& warning : loaded.warnings) warn(warning);
  return loaded;
}

}  // namespace armature::app
