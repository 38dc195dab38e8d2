// Calibration of a force/torque sensor between flange and tool: what it carries, how it is mounted, what it adds, with intervals.
//
//   const WrenchCalibration found = calibrate_wrench(arm, logs);
//   for (const std::string& line : sentences(found)) ...
#pragma once

#include <array>
#include <string>
#include <vector>

#include "armature/core/fields.hpp"
#include "armature/identification/wrench_fit.hpp"

namespace armature::identification {

struct WrenchSettings {
  double cutoff = 5;             // of the low-pass on readings and on what predicts them [Hz]
  std::vector<double> position;  // of the sensor in the tool's frame, where it is known [m]
  bool find_gravity = false;     // its direction in the base is sought too
  bool gains = false;            // of each channel: the arm's payload is what the sensor carries
  bool matrix = false;           // of the six channels for the six parts of the wrench; likewise

  void fields(Fields& f);
};

/// A number that is found, with half of its 95 % interval.
struct WrenchQuantity {
  std::string name, unit;
  double value = 0, half_width = 0;
};

struct WrenchCalibration {
  WrenchParameters x;
  std::array<std::string, 6> channels;    // their names
  bool load = false;                      // the sensor reads what the tool does to the arm, not what the arm does to it
  bool moving = false, postures = false;  // inertia and the sensor's place show; rows are postures
  bool known_tool = false;                // gains were found from it
  double half_run = 0;                    // from the middle of a run to its end [s], where offsets drift
  std::vector<WrenchQuantity> tool, mounting, zeros, gains, drift, gravity;
  Vec6<double> noise, held_out, spread;  // residual, error on parts left out, size of the readings' changes [N] [N m]
  InertiaParameters<double> body;        // of the tool in the tool's frame: the nearest that can exist
  std::vector<std::string> remarks;      // what a person should know

  /// Largest of the six errors on parts left out, as a share of the changes of its kind.
  [[nodiscard]] double error() const;
};

/// Throws Error where the log does not determine tool and mounting, and where readings cannot be those of a tool on this arm: with the most
/// likely cause.
WrenchCalibration calibrate_wrench(const Arm& arm, const std::vector<WrenchLog>& logs,
                                   const WrenchSettings& settings = {},
                                   const std::array<std::string, 6>& channels = {"fx", "fy", "fz", "tx", "ty", "tz"});

/// The verdict first.
std::vector<std::string> sentences(const WrenchCalibration& found);

}  // namespace armature::identification
