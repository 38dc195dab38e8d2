// Scenarios to and from YAML.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/scenario/scenario.hpp"

namespace armature {

using JointKinds = std::vector<bool>;  // one a joint; true: slides

/// Where each setting that was given stands: "controller.kp", "plant.walls[0].stiffness".
class SettingPlaces {
 public:
  void put(const std::string& key, const Place& place) { places_[key] = place; }
  [[nodiscard]] bool given(const std::string& key) const { return places_.count(key) > 0; }
  /// Of the setting, or of the nearest block around it that was given.
  [[nodiscard]] Place of(std::string key) const;
  /// The keys given directly inside `block`.
  [[nodiscard]] std::vector<std::string> inside(const std::string& block) const;

 private:
  std::map<std::string, Place> places_;
};

struct ParsedScenario {
  Scenario scenario;
  SettingPlaces places;
  std::string name;  // of the case; empty for a scenario without cases
};

using Overrides = std::vector<std::pair<std::string, std::string>>;  // "run.duration", "2 s"

/// Reads a scenario; keys left out keep their defaults. `joints_slide` says which joints of the robot slide (for units);
/// it is asked for once the robot's name is known. A block `cases` is left alone. Throws FormatError with place and hint.
ParsedScenario parse_scenario(std::string_view text, const std::string& file,
                              const std::function<JointKinds(const std::string& robot)>& joints_slide,
                              const Overrides& overrides = {});

/// The scenario once a case of its block `cases`, in their order; itself where there is no such block. A case is a map of
/// settings that replace the scenario's, with its name under `case`; a block that names another `kind` starts anew.
std::vector<ParsedScenario> parse_cases(std::string_view text, const std::string& file,
                                        const std::function<JointKinds(const std::string& robot)>& joints_slide,
                                        const Overrides& overrides = {});

/// The scenario as YAML that reads back as the same; every key, in order.
std::string write_scenario(const Scenario& scenario, const JointKinds& joints_slide);

/// A key of a scenario: "run.duration", "s", "1", "simulated time". `words` are what it can be, where it is a word.
struct ScenarioKey {
  std::string key, value, fallback, meaning;
  std::vector<std::string> words;
};
/// Every key, in order.
std::vector<ScenarioKey> scenario_keys();

}  // namespace armature
