// Why a log does not fit its arm: found by trying what usually goes wrong with logs.
#pragma once

#include <optional>

#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// A fault without which the log would fit.
struct Diagnosis {
  std::string cause;  // "columns tau2 and tau3 seem exchanged"
  std::string trial;  // "with them exchanged"
  double before = 0,
         after = 0;  // residual of a physically consistent fit, relative to the torques, RMS over the joints
  bool of_the_described = false;  // it is the residual of the described bodies, with friction of the log
  int joint = -1;                 // at which it is; -1: over all joints
  bool advice = false;            // no reason to refuse a log by itself
  double cutoff = 0;              // [Hz] above 0: the log is sound, and this cut-off is all it needs
  [[nodiscard]] std::string sentence() const;
};

/// The one fault without which the log is explained best, provided that the residual of a physically consistent fit, or that of the described bodies, falls
/// to less than a third: columns exchanged or in another order, signs, units and gear ratios, gravity, delays, offsets of encoders, times to leave out
/// (an encoder that is stuck or jumps, torques that are constant or saturated), noise that a lower cut-off removes. What is tried is the
/// longest segment of the log, thinned to some thousand rows. Where the described bodies fail at one joint alone, a fault of its torque is named if the
/// error there falls to a quarter. None where consistent bodies leave less than a tenth of the torques (about their means, RMS over the joints) and the
/// described ones, where they count, less than three tenths.
std::optional<Diagnosis> diagnose(const Arm& arm, const MotionSource& source, const Processing& processing,
                                  const TorqueModelSettings& model, bool description_counts = true);

/// The share of the velocities (RMS) that lies above a fifth of the sampling rate, where filters take it away, or from where it folds back.
double too_fast_share(const Arm& arm, const MotionSource& source, const Processing& processing);

/// What the error of each joint is judged against: its torque, but at least a twentieth of the arm's largest torque or half of the median
/// torque, whichever is less: a wrist that mostly rubs is no reason to doubt the arm.
VecX<double> judged_against(const VecX<double>& torque);

}  // namespace armature::identification
