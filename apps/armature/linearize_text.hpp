// What linearize says about limit cycles and reduced models.
#pragma once

#include <string>

#include "armature/run/limit_cycle.hpp"
#include "armature/simulation/reduced_drive.hpp"
#include "armature/simulation/reduction.hpp"
#include "json_out.hpp"

namespace armature::app {

std::string limit_cycle_text(const LoopBalance& balance);
Json limit_cycle_json(const LoopBalance& balance);

/// A reduced model beside the whole one, on some lines.
struct ReducedAnswer {
  ReducedModel model;
  Reduction method = Reduction::balanced;
  int order = 0;        // of the whole model
  std::string channel;  // "motor 'elbow' to state 'q2'"
  double largest = 0;   // magnitude of the whole model's response on the lines
  double error = 0;     // largest difference of the responses there
  double decibel = 0;   // largest difference of their magnitudes [dB], and where [Hz]
  double at = 0;
  double from = 0, to = 0;  // lines [Hz]
};
ReducedAnswer compare(const StateSpace& whole, ReducedModel model, const std::vector<double>& frequencies);
std::string reduced_text(const ReducedAnswer& answer);
Json reduced_json(const ReducedAnswer& answer);

/// A drive by fewer states beside the whole one, on the same lines.
struct ReducedDriveAnswer {
  int joint = 0;     // from 0
  std::string name;  // of the joint
  int order = 0;     // of the whole drive
  DriveReduction reduction;
  Eigen::Vector2d
      error;  // largest difference of the torque's responses to command and to speed, as a share of the largest
};
std::string reduced_drives_text(const std::vector<ReducedDriveAnswer>& drives, Reduction method);
Json reduced_drives_json(const std::vector<ReducedDriveAnswer>& drives, Reduction method);

}  // namespace armature::app
