// Dual numbers: a value and its derivative in one direction, exact to rounding [Griewank2008].
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "armature/scalar/scalar.hpp"

namespace armature::scalar {

/// a + a' e with e² = 0. Every operation carries the derivative along by the chain rule.
struct Dual {
  double value = 0;
  double slope = 0;  // derivative of value in the direction that the inputs' slopes describe

  constexpr Dual() = default;
  constexpr Dual(double v) : value(v) {}  // NOLINT: a plain number is a constant
  constexpr Dual(double v, double s) : value(v), slope(s) {}

  friend constexpr Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend constexpr Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend constexpr Dual operator-(Dual a) { return {-a.value, -a.slope}; }
  friend constexpr Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
  friend constexpr Dual operator/(Dual a, Dual b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  constexpr Dual& operator+=(Dual b) { return *this = *this + b; }
  constexpr Dual& operator-=(Dual b) { return *this = *this - b; }
  constexpr Dual& operator*=(Dual b) { return *this = *this * b; }
  constexpr Dual& operator/=(Dual b) { return *this = *this / b; }

  friend Dual sin(Dual a) { return {std::sin(a.value), std::cos(a.value) * a.slope}; }
  friend Dual cos(Dual a) { return {std::cos(a.value), -std::sin(a.value) * a.slope}; }
  friend Dual sqrt(Dual a) {
    const double r = std::sqrt(a.value);
    return {r, a.slope / (2 * r)};
  }
  friend Dual exp(Dual a) {
    const double e = std::exp(a.value);
    return {e, e * a.slope};
  }
  friend Dual tanh(Dual a) {
    const double t = std::tanh(a.value);
    return {t, (1 - t * t) * a.slope};
  }
  friend Dual atan2(Dual y, Dual x) {
    return {std::atan2(y.value, x.value),
            (x.value * y.slope - y.value * x.slope) / (x.value * x.value + y.value * y.value)};
  }
};

}  // namespace armature::scalar

template <>
struct Eigen::NumTraits<armature::scalar::Dual> : Eigen::NumTraits<double> {
  using Real = armature::scalar::Dual;
  using NonInteger = armature::scalar::Dual;
  using Nested = armature::scalar::Dual;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 2,
    MulCost = 4
  };
};
