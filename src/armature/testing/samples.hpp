// Arms in motion that laws are tested on, and their derivatives by dual numbers.
#pragma once

#include <string_view>
#include <vector>

#include "armature/scalar/dual.hpp"
#include "armature/testing/random_arms.hpp"

namespace armature::testing {

/// An arm and how it moves.
struct Sample {
  Arm arm;
  VecX<double> q, qd, qdd;
};
/// `each` random arms of every size from 1 to max_joints, and every arm of the catalogue in `each` states.
std::vector<Sample> samples(int each = 4);

/// An arm of the catalogue, for tests of rooms that do not see it.
Arm built_in_arm(std::string_view name);

/// x with the derivative `slope`.
VecX<Dual> with_slope(const VecX<double>& x, const VecX<double>& slope);

/// The derivatives of a vector or matrix of dual numbers.
template <class Derived>
Eigen::Matrix<double, Derived::RowsAtCompileTime, Derived::ColsAtCompileTime, Derived::PlainObject::Options,
              Derived::MaxRowsAtCompileTime, Derived::MaxColsAtCompileTime>
slope_of(const Eigen::MatrixBase<Derived>& x) {
  return x.unaryExpr([](const Dual& d) { return d.slope; });
}

}  // namespace armature::testing
