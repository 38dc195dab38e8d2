// Readings of a force/torque sensor with the joints' positions, from files: logs over time, or tables of postures.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "armature/formats/log_map.hpp"
#include "armature/identification/wrench_log.hpp"

namespace armature::run {

struct MeasuredWrench {
  std::vector<WrenchLog> logs;          // SI, on equal steps; of postures one row each
  std::array<std::string, 6> channels;  // names of the columns
  std::vector<std::string> notes;       // which columns were used and what was done to the rows, in sentences
};

/// Reads the files, each a run of its own. A table without a time, and a log with fewer than ten rows a second, holds postures in which the arm
/// stood still. Throws FormatError with the place.
MeasuredWrench read_wrench(const std::vector<std::string>& paths, const Arm& arm, const LogMap& map = {});

/// Whether the columns of a file are those of a force/torque sensor.
bool holds_wrench(const std::string& path);

}  // namespace armature::run
