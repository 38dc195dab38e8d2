// Scenarios to and from YAML.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/scenario/scenario.hpp"

namespace armature {

/// Reads a scenario; keys left out keep their defaults. `joints_slide` says which joints of the robot slide (for units);
/// it is asked for once the robot's name is known. Throws FormatError with place and hint.
using JointKinds = std::vector<bool>;  // true: slides
Scenario parse_scenario(std::string_view text, const std::string& file,
                        const std::function<JointKinds(const std::string& robot)>& joints_slide,
                        const std::vector<std::pair<std::string, std::string>>& overrides = {});

/// The scenario as YAML that reads back as the same; every key, in order.
std::string write_scenario(const Scenario& scenario, const JointKinds& joints_slide);

/// Every key with its unit, default and meaning, one a row: "run.duration", "s", "1", "simulated time".
std::vector<std::vector<std::string>> scenario_keys();

}  // namespace armature
