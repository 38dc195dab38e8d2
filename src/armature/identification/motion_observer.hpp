// Velocities and accelerations from position readings, by a Kalman observer made of three integrators.
#pragma once

#include "armature/identification/equations.hpp"

namespace armature::identification {

/// The observer of one joint: state (q, qd, qdd), driven by white jerk, corrected by position readings
/// [Kostic2004, (16)-(21)]; steady-state gains.
struct MotionObserver {
  Eigen::Matrix3d A;               // over one step
  Eigen::Vector3d gain;            // of the correction by a reading
  Eigen::Matrix3d P, P_predicted;  // covariance after and before a reading
};
/// `noise`: standard deviation of a reading; `jerk`: density of the jerk [rad/s³/√Hz]. Throws Error unless both are positive.
MotionObserver motion_observer(double noise, double jerk, double step);

/// Standard deviation of a uniform rounding error to that resolution, plus the noise.
double reading_noise(double resolution, double noise = 0);

/// Positions of a block through the observers of its joints, forwards and then smoothed backwards [Rauch1965], so
/// that nothing lags. Noise and jerk that the settings leave open are estimated from the readings.
void observe_motion(const MotionBlock& block, const Processing& processing, FilteredMotion& motion);

/// Noise and jerk that the settings leave open, for one observer of all joints: those of the joint that moves most for its noise,
/// so that no joint's motion is smoothed away. From the first samples handed over (samples x joints).
void choose_observer(const RowMatrix& positions, double step, Processing& processing);

/// Samples after which the observer has forgotten where it began (to 1e-13). Needs both settings given.
std::size_t observer_memory(const Processing& processing, double step);

}  // namespace armature::identification
