// Files that a drive is fitted to: tables of frequency responses and logs of motions.
#pragma once

#include <optional>

#include "armature/identification/drive_response.hpp"
#include "armature/run/run_scenario.hpp"
#include "names.hpp"

namespace armature::app {

struct DriveLogOptions {
  std::optional<std::string> output;  // column of the responses; else their file names it
  std::vector<std::string> columns;   // of the motions; empty: what was measured of the joint, else all that is there
  bool continuous = false;            // responses were not taken from sampled logs
  double from = 0, to = 0;            // [Hz]; to 0: all
};

/// The responses of a table as `frf -o` or `linearize --bode` writes it; one a number in its column `log`. Throws FormatError
/// with the place, also where they are of another drive.
std::vector<DriveFrf> read_drive_responses(const std::string& path, const DriveModel& model, const Scenario& scenario,
                                           const DriveLogOptions& options);

/// A log of a motion that begins at rest. Throws FormatError with the place, also where it was sampled unlike the
/// scenario's controller.
DriveMotion read_drive_motion(const std::string& path, const DriveModel& model, const Scenario& scenario,
                              const DriveLogOptions& options);

}  // namespace armature::app
