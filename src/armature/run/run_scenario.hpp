// From a scenario to a log: the only room that knows kinds by name.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "armature/record/log.hpp"
#include "armature/run/loaded_scenario.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/simulation/loop.hpp"

namespace armature::run {

/// What an attempt at a run found out, for the next one.
struct RunChoices {
  std::string no_fixed_step;  // why steps of a fixed length do not do; empty: they may
  bool end_stops = false;     // the arm reaches one: they are there
};

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
  RunChoices choices;
  std::string integration;  // why it is integrated as it is
  double loop_radius = 0;   // largest |eigenvalue| of the held loop about its start; 0: not known
};
Experiment build(const LoadedScenario& loaded, const RunChoices& choices = {});

/// A motor and the share of the samples in which it gave less than it was asked for, or as much as it can.
struct Saturation {
  std::string motor;
  double share = 0;
};

/// The result of a run is its log, with what is to be said of it.
struct RunResult {
  Log log;
  std::vector<std::string> warnings;
  double seconds = 0;       // it took
  double tick_time = 0;     // median time of the law in a tick [s]; 0 where it acts continuously
  std::string integration;  // how it was integrated, and why
  std::string unbalanced;   // what is wrong with the energy balance, where that is not accepted; empty: nothing
  std::vector<Saturation> saturation;  // of the motors that reached a limit
};
/// Runs what was built from it. An end stop that no joint reaches is not part of the plant: where one is reached the run starts
/// anew with stops. So it does with error control where a fixed step proves too long (run/integration.hpp).
RunResult run_timed(const LoadedScenario& loaded, Experiment experiment, const std::atomic<bool>* stop = nullptr,
                    std::function<void(double)> progress = {});
/// Runs it. Same scenario, same log, bit for bit.
RunResult run_timed(const LoadedScenario& loaded, const std::atomic<bool>* stop = nullptr,
                    std::function<void(double)> progress = {});
Log run_scenario(const LoadedScenario& loaded, const std::atomic<bool>* stop = nullptr,
                 std::function<void(double)> progress = {});

}  // namespace armature::run

namespace armature {
using run::RunResult;
}  // namespace armature
