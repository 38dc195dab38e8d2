// What linearize says about limit cycles and reduced models.
#pragma once

#include <string>

#include "armature/run/limit_cycle.hpp"
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
  double error = 0;     // largest difference of the responses on the lines
  double decibel = 0;   // largest difference of their magnitudes [dB], and where [Hz]
  double at = 0;
  double from = 0, to = 0;  // lines [Hz]
};
ReducedAnswer compare(const StateSpace& whole, ReducedModel model, const std::vector<double>& frequencies);
std::string reduced_text(const ReducedAnswer& answer);
Json reduced_json(const ReducedAnswer& answer);

}  // namespace armature::app
