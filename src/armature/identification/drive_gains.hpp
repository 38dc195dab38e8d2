// What a unit of a torque column is worth at its joint (N m per ampere, per count), from a payload that is known.
#pragma once

#include <vector>

#include "armature/identification/motion_source.hpp"
#include "armature/model/arm.hpp"

namespace armature::identification {

struct DriveGain {
  bool determined = false;  // false: the payload hardly loads this joint in these motions
  double gain = 0;          // torque a unit of the column
  double half_width = 0;    // of the 95 % interval
  double load = 0;          // RMS of the torque that the payload asks of the joint in the log with it [N m | N]
};

/// One per joint. `with` carries the payload that `loaded` was measured with, `without` is the same arm without it, measured in `empty`. A
/// joint's column is regressed on what moves it, with parameters of its own so that nothing but the payload sets the scale:
///     u_i = (columns of links, rotors and friction) x_i + g_i P_i,    P = torque that the payload asks for,   gain 1/g_i
/// The noise is in u alone, so g_i has no bias. Described inertia is not used. Throws Error where no equation is left.
std::vector<DriveGain> drive_gains(const Arm& with, const Arm& without, const MotionSource& loaded,
                                   const Processing& loaded_processing, const MotionSource& empty,
                                   const Processing& empty_processing);

}  // namespace armature::identification
