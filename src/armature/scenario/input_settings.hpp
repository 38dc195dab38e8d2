// What drives a run from outside, over time: beside the law, or in its place.
#pragma once

#include "armature/simulation/loop_inputs.hpp"

namespace armature::scenario {

struct InputSettings {
  std::string name;  // of its channel in the log, after "input_"; empty: its number
  int joint = 1;     // from 1
  LoopInput::Quantity quantity = LoopInput::Quantity::torque;
  bool replace = false;
  SignalSettings signal;

  void fields(Fields& f);
};

/// The dimension of what such an input adds to, and its unit in logs.
JointDimension dimension_of(LoopInput::Quantity quantity);
const char* unit_of(LoopInput::Quantity quantity, bool turns);

}  // namespace armature::scenario
