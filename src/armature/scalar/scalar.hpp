// What a number must be able to do for the algorithms to run on it.
#pragma once

#include <cmath>
#include <concepts>

#include "armature/rooms.hpp"

namespace armature::scalar {

/// double, Dual (value and derivative), Expr (symbolic) and Pack (several states at once) are Scalars. No comparison is
/// asked for: an algorithm over Scalar has no branch that depends on a value, so the same body computes,
/// differentiates, derives and vectorizes.
template <class S>
concept Scalar = std::default_initializable<S> && std::constructible_from<S, double> && requires(S a, S b) {
  { a + b } -> std::convertible_to<S>;
  { a - b } -> std::convertible_to<S>;
  { a* b } -> std::convertible_to<S>;
  { a / b } -> std::convertible_to<S>;
  { -a } -> std::convertible_to<S>;
  a += b;
  a -= b;
  a *= b;
};

using std::atan2;
using std::cos;
using std::exp;
using std::sin;
using std::sqrt;
using std::tanh;

}  // namespace armature::scalar
