// Arms and states made by chance, the same every time: what laws are tested on.
#pragma once

#include <vector>

#include "armature/core/random.hpp"
#include "armature/model/arm.hpp"
#include "armature/scalar/dual.hpp"

namespace armature::testing {

/// A physically possible arm with `dof` joints, revolute or prismatic by chance (some parallel, some at right angles, some
/// skew), DH or origin-and-axis placements, tool, tilted base and gravity.
Arm random_arm(int dof, Random& random);

/// Numbers in [-size, size], one a joint.
VecX<double> random_vector(int dof, Random& random, double size = 1);

/// An arm and how it moves.
struct Sample {
  Arm arm;
  VecX<double> q, qd, qdd;
};
/// `each` random arms of every size from 1 to max_joints, one state each.
std::vector<Sample> samples(int each = 4);

/// x with the derivative `slope`.
VecX<Dual> with_slope(const VecX<double>& x, const VecX<double>& slope);
/// The derivatives of a vector or matrix of dual numbers.
template <class Derived>
Eigen::Matrix<double, Derived::RowsAtCompileTime, Derived::ColsAtCompileTime, Derived::PlainObject::Options,
              Derived::MaxRowsAtCompileTime, Derived::MaxColsAtCompileTime>
slope_of(const Eigen::MatrixBase<Derived>& x) {
  return x.unaryExpr([](const Dual& d) { return d.slope; });
}

/// The project's relative error: ‖a-b‖∞ / max(1, ‖b‖∞).
template <class A, class B>
double relative_error(const A& a, const B& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace armature::testing
