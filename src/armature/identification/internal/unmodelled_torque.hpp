// What torques that the model lacks do to its parameters: a systematic error that intervals made of the scatter of residuals do not know.
#pragma once

#include "armature/identification/estimate.hpp"
#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// The torques that a model lacks at each joint are taken as a random sum of functions of the joint's own angle and speed
/// (TorqueModelSettings::unmodelled_at), all of the same variance, which the residuals show. What part of it the parameters have taken up differs
/// from motion to motion, and the residuals of one motion cannot show it: where a motion is repeated it comes back, on another it is wrong.
struct UnmodelledTorque {
  VecX<double> size;  // standard deviation of a function's coefficient; 0: residuals show no such torque [N m | N]
  Eigen::MatrixXd covariance;  // what that adds to the covariance of the parameters
};

/// For the least-squares estimate of the model's parameters from this log. A joint's torque counts where noise alone would give such residuals
/// in less than one of twenty logs. `weighted`: the estimate is that of LeastSquaresSettings::weighted.
UnmodelledTorque unmodelled_torque(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                                   const Estimate& estimate, bool weighted = true);

}  // namespace armature::identification
