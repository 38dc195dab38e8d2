// From a scenario to a log: the only room that knows kinds by name.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "armature/record/log.hpp"
#include "armature/run/loaded_scenario.hpp"
#include "armature/simulation/linearise.hpp"
#include "armature/simulation/loop.hpp"

namespace armature {

/// What the scenario puts together, before it runs.
struct Experiment {
  Composition composition;
  Plant plant;
  AnyController controller;
  ReferenceSource reference;       // of the joints, and the tool's pose: what a log shows
  ReferenceSource loop_reference;  // as much of it as the controller reads
  Eigen::VectorXd start;
  LoopSettings loop;
  std::vector<std::string> warnings;
};
Experiment build(const LoadedScenario& loaded);

struct RunResult {
  Log log;
  std::vector<std::string> warnings;
  double seconds = 0;    // it took
  double tick_time = 0;  // median time of the law in a tick [s]; 0 where it acts continuously
};
/// Runs what was built from it.
RunResult run_timed(const LoadedScenario& loaded, Experiment experiment, const std::atomic<bool>* stop = nullptr,
                    std::function<void(double)> progress = {});
/// Runs it. Same scenario, same log, bit for bit.
RunResult run_timed(const LoadedScenario& loaded, const std::atomic<bool>* stop = nullptr,
                    std::function<void(double)> progress = {});
Log run_scenario(const LoadedScenario& loaded, const std::atomic<bool>* stop = nullptr,
                 std::function<void(double)> progress = {});

}  // namespace armature
