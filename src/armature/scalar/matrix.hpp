// Vectors and matrices of any Scalar. Joint-sized ones have a compile-time maximum, so they live on the stack.
#pragma once

#include <Eigen/Core>

#include "armature/scalar/scalar.hpp"

namespace armature::scalar {

inline constexpr int max_joints = 16;

/// Three numbers are a point, an axis or a force.
template <Scalar S>
using Vec3 = Eigen::Matrix<S, 3, 1>;
/// Three rows and columns are a rotation or an inertia tensor.
template <Scalar S>
using Mat3 = Eigen::Matrix<S, 3, 3>;
template <Scalar S>
using Vec6 = Eigen::Matrix<S, 6, 1>;
template <Scalar S>
using Mat6 = Eigen::Matrix<S, 6, 6>;

/// A vector holds one number per joint. There is room for max_joints of them, so that it needs no heap.
template <Scalar S>
using VecX = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, max_joints, 1>;
/// A matrix has one row and one column per joint. There is room for max_joints of each, so that it needs no heap.
template <Scalar S>
using MatX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, max_joints, max_joints>;
/// A Jacobian: six rows (v; w), one column per joint.
template <Scalar S>
using Mat6X = Eigen::Matrix<S, 6, Eigen::Dynamic, 0, 6, max_joints>;

}  // namespace armature::scalar

namespace armature {
using scalar::Mat3;
using scalar::MatX;
using scalar::Vec3;
using scalar::VecX;
}  // namespace armature
