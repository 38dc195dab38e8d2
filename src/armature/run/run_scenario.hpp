// From a scenario to a log: the only room that knows kinds by name.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "armature/record/log.hpp"
#include "armature/scenario/scenario.hpp"
#include "armature/simulation/linearise.hpp"
#include "armature/simulation/loop.hpp"

namespace armature {

/// A scenario with its robot, checked and ready.
struct LoadedScenario {
  Scenario scenario;
  Arm arm;
  std::string text;  // as written out again, with every default
  std::vector<std::string> warnings;
};

/// Reads a scenario file; a robot file is looked for beside it. Throws FormatError or ModelError with place and hint.
LoadedScenario load_scenario(const std::string& path,
                             const std::vector<std::pair<std::string, std::string>>& overrides = {});
LoadedScenario scenario_from_text(std::string_view text, const std::string& file,
                                  const std::vector<std::pair<std::string, std::string>>& overrides = {});

/// What the scenario puts together, before it runs.
struct Experiment {
  Composition composition;
  Plant plant;
  AnyController controller;
  ReferenceSource reference;
  Eigen::VectorXd start;
  LoopSettings loop;
};
Experiment build(const LoadedScenario& loaded);

/// Runs it. Same scenario, same log, bit for bit.
Log run_scenario(const LoadedScenario& loaded, const std::atomic<bool>* stop = nullptr,
                 std::function<void(double)> progress = {});

}  // namespace armature
