// Springs of joints without a motor, from logs in which the motors shake the arm: what fit-drive does with --shaken.
#pragma once

#include <optional>

#include "armature/run/run_scenario.hpp"
#include "names.hpp"

namespace armature::app {

struct FitSpringsOptions {
  std::vector<std::string> shaken, held_out;                  // logs
  std::optional<std::string> period, begin;                   // of the excitation, of what is used
  std::optional<std::string> free, fix, from, to, out, page;  // as fit-drive has them
  bool json = false;
};

/// Fits plant.passive of the scenario, says what came out and writes what was asked for. Returns the exit code.
int fit_springs_verb(const LoadedScenario& loaded, const FitSpringsOptions& options);

}  // namespace armature::app
