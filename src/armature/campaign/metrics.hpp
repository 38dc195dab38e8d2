// What a run is judged by: numbers with names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/core/units.hpp"
#include "armature/run/comparison.hpp"

namespace armature::campaign {

/// A run, and what follows from its log.
struct JudgedRun {
  const LoadedScenario& loaded;
  const RunResult& result;
  RunMetrics metrics;
};

/// "tool_largest", a length. NaN where it means nothing in a run, infinite for what never happens.
struct Metric {
  std::string name;
  Dimension dimension;
  std::string unit;  // in which it is recorded
  std::string help;
  std::function<double(const JudgedRun&)> value;
  bool of_one_joint = false;
};

/// All that there are for an arm: those of the whole machine, then those of its joints.
std::vector<Metric> metrics_of_arm(const Arm& arm);

/// How a run ended.
enum class RunOutcome {
  complete = 0,
  ended_early = 1,  ///< it diverged, or could not be continued: it fails every requirement
  unbalanced = 2    ///< complete, but its energy balance does not close
};
RunOutcome outcome_of(const RunResult& result);

}  // namespace armature::campaign
