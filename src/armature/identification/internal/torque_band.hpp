// How far the torques of a log reach in frequency: recorders and sensors often filter them, positions not.
#pragma once

#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// The lowest cut-off [Hz] of the zero-phase filter on the equations that takes nothing from the torques: every joint's loses at most half a
/// percent of itself (RMS). At most `processing.parallel_cutoff`, from which it goes down by factors of √2; so low that a filter's
/// ends would cost more than a twentieth of the log it never is. Above that band a log that was filtered holds accelerations without their
/// torques, which bias every estimate and every prediction.
double torque_band(const MotionSource& source, int joints, const Processing& processing);

}  // namespace armature::identification
