// A log of an arm whose truth is known: what estimators are tried on.
#pragma once

#include "armature/identification/equations.hpp"
#include "armature/identification/excitation.hpp"

namespace armature::identification {

struct SyntheticSettings {
  double duration = 20;  // [s]
  // The motion is one that an excitation might be.
  double rate = ExcitationSettings().rate;                      // [Hz]
  int harmonics = ExcitationSettings().harmonics;               // of the motion of each joint
  double base_frequency = ExcitationSettings().base_frequency;  // [Hz]
  double speed = 1.5;             // largest speed of a turning joint, about [rad/s]; a sliding one gets 0.3 of it [m/s]
  double encoder = 0;             // resolution of the positions [rad | m]
  double position_noise = 0;      // standard deviation [rad | m]
  double torque_noise = 0;        // of each joint, as a share of the RMS of its torque
  std::uint64_t seed = 1;         // of the noise
  std::uint64_t motion_seed = 1;  // of the motion
};

/// A periodic motion of the arm, the torques that its own inertia, rotors and friction need for it, and the readings of both.
MotionBlock synthetic_log(const Arm& arm, const SyntheticSettings& settings);

}  // namespace armature::identification
