// Square matrices as arguments of functions, and made ready for their eigenvalues.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "armature/rooms.hpp"

namespace armature::numerics {

/// exp(A), by its series after halving A until it is small.
inline Eigen::MatrixXd exponential(Eigen::MatrixXd A) {
  int halvings = 0;
  while (A.cwiseAbs().rowwise().sum().maxCoeff() > 0.5 && halvings < 60) {
    A /= 2;
    ++halvings;
  }
  Eigen::MatrixXd sum = Eigen::MatrixXd::Identity(A.rows(), A.cols()), term = sum;
  for (int k = 1; k <= 16; ++k) {
    term = term * A / k;
    sum += term;
  }
  for (; halvings > 0; --halvings) sum = sum * sum;
  return sum;
}

/// The same eigenvalues, each row about as large as its column: a scaling by powers of two, with which eigenvalues far apart come out with
/// the accuracy of each [Osborne1960], [ParlettReinsch1969].
inline Eigen::MatrixXd balanced_for_eigenvalues(Eigen::MatrixXd A) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      double row = A.row(i).cwiseAbs().sum() - std::abs(A(i, i)),
             column = A.col(i).cwiseAbs().sum() - std::abs(A(i, i));
      if (!(row > 0) || !(column > 0) || !std::isfinite(row + column)) continue;
      const double before = row + column;
      double factor = 1;
      while (column < row / 2) {
        factor *= 2;
        column *= 4;
      }
      while (column > row * 2) {
        factor /= 2;
        column /= 4;
      }
      if ((column + row) / factor < 0.95 * before) {
        A.col(i) *= factor;
        A.row(i) /= factor;
        changed = true;
      }
    }
  }
  return A;
}

}  // namespace armature::numerics
