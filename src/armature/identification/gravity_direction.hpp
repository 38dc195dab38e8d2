// The direction of gravity in the base of an arm that stands on a slope, or hangs, from a log.
#pragma once

#include <array>

#include "armature/identification/motion_source.hpp"

namespace armature::identification {

struct FoundGravity {
  Vec3<double> gravity;                // as strong as described [m/s²]
  double tilt = 0;                     // from the described direction [rad]
  std::array<double, 2> half_width{};  // of the 95 % intervals of its direction, along two axes across it [rad]
  double error_before = 0, error = 0;  // relative, of least squares: with the described direction and with this one
};

/// The direction with which least squares explains the log best. Throws Error where the motion does not show it: a turn of gravity may look
/// like other first moments of the links (an arm whose axes are all parallel), or change nothing.
FoundGravity find_gravity(const Arm& arm, const MotionSource& source, const Processing& processing,
                          const TorqueModelSettings& columns);

}  // namespace armature::identification
