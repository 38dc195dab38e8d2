// What the verbs about scenarios ask for in the same words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/run/run_scenario.hpp"
#include "command_line.hpp"

namespace armature::app {

/// "run.duration=2s" and the like as pairs of key and value. Throws Error where there is no '='.
Overrides parse_settings(const std::vector<std::string>& settings);

struct ScenarioOptions {
  std::string scenario;
  std::vector<std::string> settings;  // "run.duration=2s"
  std::optional<std::string> base, tip;
  std::vector<std::string> lock;  // "joint=value"
  std::vector<std::string> with;  // files
  bool as_given = false;

  /// SCENARIO, --set, --with, and --base, --tip, --lock and --as-given of its robot.
  void add_to(Verb& verb);
  /// The scenario, checked; repeats its warnings on the error stream.
  [[nodiscard]] LoadedScenario load() const;
  /// All of them as pairs of key and value.
  [[nodiscard]] Overrides overrides() const;
};

}  // namespace armature::app
