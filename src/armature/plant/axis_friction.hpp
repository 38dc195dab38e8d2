// Rubbing at an axis.
#pragma once

#include "armature/model/friction.hpp"

namespace armature::plant {

/// Rubbing at an axis, one element an axis. Laws with a jump stick truly when `exact`; otherwise their sign is smoothed over
/// `smoothing`.
struct AxisFriction {
  int axis = 0;
  Friction law;
  bool exact = true;
  double smoothing = 1e-3;  // [rad/s]
  double gear_loss = 0;     // share of the torque from motors and springs that is lost on the way: 1 - efficiency
};

/// Throws ModelError where it names an axis that is not there or loses more than there is.
void check(const AxisFriction& friction, int axes);
/// Whether the axis can stick: laws with a jump do, viscous ones are smooth anyway.
bool sticks(const AxisFriction& friction);

}  // namespace armature::plant
