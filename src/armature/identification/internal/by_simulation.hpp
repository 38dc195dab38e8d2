// Identification by simulation: parameters whose simulated motion is the measured one. For short logs.
#pragma once

#include "armature/identification/estimate.hpp"

namespace armature::identification {

/// Accelerations of the model with parameters x under joint torques tau: M and the rest from its columns. Throws Error where these
/// parameters give no positive mass matrix.
VecX<double> model_acceleration(const TorqueModel& model, const Eigen::VectorXd& x, const JointMotion& state,
                                const VecX<double>& tau);

struct OutputErrorSettings {
  double segment = 0.3;  // [s] simulated in one go, at most a twelfth of the log; each begins in a state of its own
  int iterations = 30;
  double tolerance = 1e-8;  // relative change of the cost
};
struct OutputErrorResult {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;      // as the segments differ from each other
  double freedom = 0;              // of its deviations
  double rms_before = 0, rms = 0;  // position error of the simulation [rad | m]
  int iterations = 0;
};
/// Output error: no acceleration is ever computed from the log. Gauss–Newton with damping; sensitivities by integrating their own
/// differential equation, M dqdd/dx = -rows. Start from least squares. Noise of the torques is integrated, so that errors within a
/// segment hang together: uncertainties are found by leaving out each segment in turn.
OutputErrorResult output_error(const TorqueModel& model, const MotionBlock& log, const Eigen::VectorXd& start,
                               const OutputErrorSettings& settings = {});

/// Direct and inverse models together (DIDIM) [Gautier2013]: the motion that `simulate` gives for the parameters in closed loop replaces the
/// measured one in the columns, the torques stay measured; repeated until the parameters stay. The noise of the log does not enter
/// the columns. `simulate` returns positions, velocities and accelerations at the samples of `tau`.
struct DirectInverseResult {
  Estimate estimate;
  int iterations = 0;
  bool converged = false;
};
DirectInverseResult direct_inverse(const TorqueModel& model, const RowMatrix& tau, double step,
                                   const std::function<FilteredMotion(const Eigen::VectorXd& x)>& simulate,
                                   const Eigen::VectorXd& start, const Processing& processing, int iterations = 20);

/// The law of the loop that a log was taken in, joint by joint, found from the log itself:
///     tau = kp e + kd de/dt + ki ∫ e dt + share * tau_described(reference) + offset,   e = reference - q
struct LoopLaw {
  Eigen::VectorXd kp, kd, ki, share, offset;
  Eigen::VectorXd explained;  // of each joint's torque, share of its squares about the mean
};
/// `reference` has as many rows as the log. Both go through the filter of `processing` first.
LoopLaw find_loop_law(const Arm& described, const MotionBlock& log, const RowMatrix& reference,
                      const Processing& processing);

/// What the model with parameters x does under that law from positions `begin` on, at first with the reference's speed. Throws Error where it runs away.
FilteredMotion simulate_loop(const TorqueModel& model, const Eigen::VectorXd& x, const LoopLaw& law,
                             const RowMatrix& reference, const Eigen::VectorXd& begin, double step);

}  // namespace armature::identification
