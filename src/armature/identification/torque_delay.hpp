// Torques that were not read at the instants of the positions beside them.
#pragma once

#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// The source with torques of the instants of its positions: a row's torque is that of `delay` before it. A sampled controller that
/// holds its command from row to row has -step/2, a reading of what was held before the row step/2. By polynomials of third
/// degree through four rows, in constant memory; at the ends the last reading counts on. Throws Error beyond a thousand steps.
MotionSource with_torque_delay(MotionSource source, int joints, double delay);

/// The delay with which least squares explains the log best, within five steps either way; that of `processing` does not count.
struct FoundDelay {
  double delay = 0;                    // [s]
  double error_before = 0, error = 0;  // relative, without it and with it
};
FoundDelay find_torque_delay(const TorqueModel& model, const MotionSource& source, const Processing& processing);

}  // namespace armature::identification
