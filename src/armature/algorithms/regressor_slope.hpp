// How a weighted sum of the torque regressor's entries changes with the motion: the slope of what a motion is judged by.
#pragma once

#include "armature/algorithms/regressor.hpp"

namespace armature::algorithms {

/// Of f(q, qd, qdd) = sum_ij weights_ij W_ij, W the torque regressor.
struct RegressorSlope {
  VecX<double> q, qd, qdd;
};

/// Exact, O(n²). `weights` has a row per joint; columns behind those of the links are not looked at.
RegressorSlope regressor_slope(const Arm& arm, const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd,
                               const Eigen::Ref<const Eigen::MatrixXd>& weights);

}  // namespace armature::algorithms
