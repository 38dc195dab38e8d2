// Joints at which a log can show a torque in the sine and cosine of their angle: a counterbalance, a cable, a sensor that is not round.
#pragma once

#include <vector>

#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// The joints that turn far enough in the log and where such a torque is not what the weight of a body gives, whatever the motion.
/// A joint whose described spring is of another kind is left out: its spring is known.
std::vector<int> joints_that_show_springs(const Arm& arm, const MotionSource& source, const Processing& processing);

}  // namespace armature::identification
