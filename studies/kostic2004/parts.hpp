// The steps of the procedure, in the order in which they use each other's results.
#pragma once

#include "armature/control/feed_forward.hpp"
#include "armature/control/kalman_motion_observer.hpp"
#include "armature/identification/excitation.hpp"
#include "armature/identification/friction_ekf.hpp"
#include "kostic2004/laboratory.hpp"
#include "kostic2004/writing.hpp"
#include "study.hpp"

namespace armature::studies::kostic2004 {

using Say = std::function<void(const std::string&)>;

/// Section IV.B: friction by an extended Kalman filter, joint by joint.
struct FrictionStep {
  std::array<JointDynamics, joints> found;
  std::vector<Claim> claims;
  std::vector<Log> logs;
};
FrictionStep friction_step(const Laboratory& laboratory, const Say& say);

/// Section IV.C.3: the excitation trajectory.
struct ExcitationStep {
  Excitation designed;
  std::vector<Claim> claims;
  std::vector<Log> logs;
};
ExcitationStep excitation_step(const Laboratory& laboratory, const Say& say);

/// Sections IV.C.2, 4 and 5: observer, experiment, least squares, validation in the writing task.
struct IdentificationStep {
  Arm identified;  // with the friction and the base parameters found
  std::vector<Claim> claims;
  std::vector<Log> logs;
};
IdentificationStep identification_step(const Laboratory& laboratory, const FrictionStep& friction,
                                       const ExcitationStep& excitation, const Say& say);

/// PD in every joint for a closed loop of that natural frequency [Hz] and damping, by the inertias of the posture (0, 0, 0).
struct PdGains {
  VecX<double> kp, kd;  // [N m/rad] [N m s/rad]
};
PdGains pd_gains(const Arm& arm, double frequency, double damping);

/// The observer of every joint for references with this jerk [rad/s³].
KalmanMotionObserver observer(const VecX<double>& jerk);

/// Section IV.C.5, end: six control cases.
struct Step {
  std::vector<Claim> claims;
  std::vector<Log> logs;
};
/// The weak gains of all cases.
PdGains weak_gains();
/// PD on the observer's motion with these terms of the believed arm as feed-forward (24).
AnyController feed_forward_pd(const Arm& believed, const DynamicTerms& which, const PdGains& gains);
/// Error of the tip in the writing task, by forward kinematics of the measured joints.
struct TipError {
  std::vector<Vec3<double>> path;
  Vec3<double> deviation;  // standard deviations [m]
  double rms = 0;          // of the distance [m]
};
TipError tip_error(const Arm& arm, const WritingTask& task, const Log& log);
Step control_step(const Laboratory& laboratory, const Arm& identified, const Say& say);

/// Section IV.D: flexible dynamics, and a controller from them.
Step flexible_step(const Laboratory& laboratory, const Arm& identified, const Say& say);

/// The thirteen (or with p4 and p15 fifteen) parameters of (A4).
ParameterColumns paper_parameters(const Arm& arm, bool all = false);

/// The arm `rrr` with these friction laws.
Arm with_friction_laws(const Arm& arm, const std::array<JointDynamics, joints>& found);

}  // namespace armature::studies::kostic2004
