// Parameters from the balance of energy: no acceleration is ever computed.
#pragma once

#include "armature/identification/estimate.hpp"
#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// Least squares on the work of all joints over windows that follow each other, which is linear in the same parameters as the torques
/// [Kostic2004, II.B]:
///     H(t2) - H(t1) + ∫ friction(qd)·qd dt = ∫ tau·qd dt,   H the kinetic and the potential energy of links and rotors.
/// Both sides are averaged over a window, so that noise of the speeds becomes one of positions, and taken from one window to the next. One
/// equation a window; each counts by the work that an error of a few percent of the joints' torques would do in it. Intervals come from
/// leaving out each part of the log in turn. The log is read in constant memory. Throws Error where no window is left.
/// Windows are `cycles` periods long of the highest frequency that the equations keep. Shorter ones leave noise of the speeds in the columns,
/// which biases the estimate; longer ones leave fewer equations. The value is the shortest at which errors were no larger than their
/// deviations say on the logs that it was chosen on, which are not those that it is tested on (coverage.test.cpp).
inline constexpr double energy_window = 0.7;
Estimate energy_estimate(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                         double cycles = energy_window);

}  // namespace armature::identification
