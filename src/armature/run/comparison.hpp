// Several runs side by side: how well each followed its reference, and what it cost.
#pragma once

#include "armature/run/run_scenario.hpp"

namespace armature::run {

/// How one coordinate followed its reference.
struct AxisMetrics {
  std::string name, unit;  // "q1" in "rad", "tool_x" in "m"
  double rms = 0;          // of the error
  double largest = 0;      // |error|
  double end = 0;          // error in the last sample
  double settling = 0;   // when the reference was at rest and |error| below 2 % of the move, for good [s]; infinite if
                         // never, NaN without a move to one end or where the reference moves until the end
  double overshoot = 0;  // beyond the end of the move, as a share of it; NaN without a move
  double effort = 0;     // RMS torque [N m | N]; NaN for coordinates of the tool
  double peak = 0;       // largest |torque|; likewise
};

struct RunMetrics {
  std::string name;
  std::string incomplete;                 // why it ended early
  double diverged = 0;                    // when a joint left for infinity [s]: the numbers are NaN; NaN where none did
  std::vector<AxisMetrics> joints;        // one per joint
  std::vector<AxisMetrics> tool;          // x, y, z
  double tool_rms = 0, tool_largest = 0;  // distance from the reference [m]
  double turn_rms = 0, turn_largest = 0;  // angle from the reference [rad]
  double supplied = 0, dissipated = 0;    // energy [J]
  double tick_time = 0;                   // median of the law [s]
  double real_time_factor = 0;
};

/// Zero of none.
double largest_magnitude(const std::vector<double>& values);

/// From the log alone, but for the times.
RunMetrics metrics_of(const Log& log);
RunMetrics metrics_of(const RunResult& result);

/// Builds all, so that a wrong setting is an Error before anything runs, then runs all, on as many threads as asked for; results come in the order of the scenarios and do not depend on the threads.
std::vector<RunResult> run_all(const std::vector<LoadedScenario>& scenarios, int threads,
                               const std::atomic<bool>* stop = nullptr, std::function<void(double)> progress = {});

}  // namespace armature::run
