// calibrate --measured wrench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arm_options.hpp"
#include "armature/identification/wrench_calibration.hpp"

namespace armature::app {

struct WrenchOptions {
  std::vector<std::string> logs;
  std::optional<std::string> map, sensor, use, out, page;
  WrenchSettings settings;
  bool json = false;
};

/// Calibrates a force/torque sensor from the logs; with `use`, writes what the surroundings do to the tool.
int run_calibrate_wrench(const WrenchOptions& options, const ArmOptions& arm);

}  // namespace armature::app
