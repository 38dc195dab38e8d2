// Which of the tool's six motions make up a task.
#pragma once

#include <array>
#include <initializer_list>

#include "armature/scalar/matrix.hpp"

namespace armature::algorithms {

template <Scalar S>
using TaskVector = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, 6, 1>;
template <Scalar S>
using TaskSquare = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
/// A task's Jacobian: up to six rows, one column per joint.
template <Scalar S>
using TaskJacobian = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, 6, max_joints>;
/// Its inverse: one row per joint.
template <Scalar S>
using TaskInverse = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, max_joints, 6>;

/// Rows of a six-vector (v; w): 0, 1, 2 the translations along x, y, z, 3, 4, 5 the rotations about them.
struct TaskRows {
  std::array<int, 6> row{};
  int count = 0;

  constexpr TaskRows(std::initializer_list<int> rows) {
    for (const int r : rows) row[count++] = r;
  }
  static constexpr TaskRows full() { return {0, 1, 2, 3, 4, 5}; }
  static constexpr TaskRows position() { return {0, 1, 2}; }
  static constexpr TaskRows orientation() { return {3, 4, 5}; }

  /// Those rows of a matrix or vector with six.
  template <Scalar S>
  [[nodiscard]] TaskJacobian<S> of(const Mat6X<S>& J) const {
    TaskJacobian<S> chosen(count, J.cols());
    for (int i = 0; i < count; ++i) chosen.row(i) = J.row(row[i]);
    return chosen;
  }
};

}  // namespace armature::algorithms
