// Scenarios to and from YAML.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/formats/settings_yaml.hpp"
#include "armature/scenario/scenario.hpp"

namespace armature::scenario {

struct ParsedScenario {
  Scenario scenario;
  SettingPlaces places;
  std::string name;  // of the case; empty for a scenario without cases
};

/// "run.duration", "2 s"; under no key a file, whose blocks replace those of the scenario as a case of it does.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// Which joints of a robot slide (for units).
using AskJoints = std::function<JointKinds(const std::string& robot, const ArmChoice& choice)>;

/// Reads a scenario; keys left out keep their defaults. `joints_slide` is asked once the robot is known. A block `cases` is left alone. Throws FormatError with place and hint.
ParsedScenario parse_scenario(std::string_view text, const std::string& file, const AskJoints& joints_slide,
                              const Overrides& overrides = {});

/// The same from a tree without cases.
ParsedScenario parse_scenario(const Yaml& tree, const AskJoints& joints_slide);

/// The scenario once a case of its block `cases`, in their order; itself where there is no such block. A case is a map of
/// settings that replace the scenario's, with its name under `case`; a block that names another `kind` starts anew.
std::vector<ParsedScenario> parse_cases(std::string_view text, const std::string& file, const AskJoints& joints_slide,
                                        const Overrides& overrides = {});

/// The scenario as YAML that reads back as the same; every key, in order.
std::string write_scenario(const Scenario& scenario, const JointKinds& joints_slide);

/// Every key of a scenario, in order.
std::vector<SettingKey> scenario_keys();

}  // namespace armature::scenario
