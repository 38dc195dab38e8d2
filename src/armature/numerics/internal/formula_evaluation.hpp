// The steps of a compiled formula on any kind of number.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/numerics/formula.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/scalar/expr.hpp"

namespace armature::numerics {

/// The functions a formula may call.
enum class FormulaFunction { sin, cos, tan, asin, acos, atan, sqrt, exp, tanh, abs, atan2 };
inline constexpr std::array<std::string_view, 11> formula_functions{"sin",  "cos", "tan",  "asin", "acos", "atan",
                                                                    "sqrt", "exp", "tanh", "abs",  "atan2"};

/// A value and its derivative, of any kind of number: what Dual is to double.
template <Scalar S>
struct Tangent {
  S value{}, slope{};

  Tangent() = default;
  Tangent(double v) : value(v), slope(0) {}  // NOLINT: a plain number is a constant
  Tangent(S v, S s) : value(v), slope(s) {}

  friend Tangent operator+(const Tangent& a, const Tangent& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Tangent operator-(const Tangent& a, const Tangent& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Tangent operator-(const Tangent& a) { return {-a.value, -a.slope}; }
  friend Tangent operator*(const Tangent& a, const Tangent& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Tangent operator/(const Tangent& a, const Tangent& b) {
    const S q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  Tangent& operator+=(const Tangent& b) { return *this = *this + b; }
  Tangent& operator-=(const Tangent& b) { return *this = *this - b; }
  Tangent& operator*=(const Tangent& b) { return *this = *this * b; }
  friend Tangent sin(const Tangent& a) { return {sin(a.value), cos(a.value) * a.slope}; }
  friend Tangent cos(const Tangent& a) { return {cos(a.value), -(sin(a.value) * a.slope)}; }
  friend Tangent sqrt(const Tangent& a) {
    const S r = sqrt(a.value);
    return {r, a.slope / (S(2) * r)};
  }
  friend Tangent exp(const Tangent& a) {
    const S e = exp(a.value);
    return {e, e * a.slope};
  }
  friend Tangent tanh(const Tangent& a) {
    const S t = tanh(a.value);
    return {t, (S(1) - t * t) * a.slope};
  }
  friend Tangent atan2(const Tangent& y, const Tangent& x) {
    return {atan2(y.value, x.value), (x.value * y.slope - y.value * x.slope) / (x.value * x.value + y.value * y.value)};
  }
};

inline double magnitude_of(double x) { return std::abs(x); }
inline Dual magnitude_of(const Dual& x) { return x.value < 0 ? -x : x; }
inline Expr magnitude_of(const Expr& x) { return abs(x); }
template <Scalar S>
Tangent<S> magnitude_of(const Tangent<S>& x) {
  const S size = magnitude_of(x.value);
  return {size, x.value / size * x.slope};
}

inline double power_of(double x, double exponent) { return std::pow(x, exponent); }
inline Dual power_of(const Dual& x, double exponent) {
  return {std::pow(x.value, exponent), exponent == 0 ? 0 : exponent * std::pow(x.value, exponent - 1) * x.slope};
}
/// Symbols know products and roots, so the exponent must be a sum of powers of two.
inline Expr power_of(const Expr& x, double exponent) {
  if (exponent < 0) return Expr(1) / power_of(x, -exponent);
  Expr power(1), root = x;
  double rest = exponent;
  if (exponent <= 64)
    for (; rest >= 1; rest -= 1) power *= x;
  for (int bit = 0; bit < 20 && rest > 0 && rest < 1; ++bit) {
    root = sqrt(root);
    rest *= 2;
    if (rest < 1) continue;
    power *= root;
    rest -= 1;
  }
  if (rest > 0)
    throw ModelError(fmt::format("a power with exponent {} has no closed form", exponent),
                     "symbols take exponents such as 0.5, 1.5, 2; numbers take any");
  return power;
}
template <Scalar S>
Tangent<S> power_of(const Tangent<S>& x, double exponent) {
  return {power_of(x.value, exponent), exponent == 0 ? S(0) : S(exponent) * power_of(x.value, exponent - 1) * x.slope};
}

inline double function_of(FormulaFunction f, double x) {
  switch (f) {
    case FormulaFunction::sin:
      return std::sin(x);
    case FormulaFunction::cos:
      return std::cos(x);
    case FormulaFunction::tan:
      return std::tan(x);
    case FormulaFunction::asin:
      return std::asin(x);
    case FormulaFunction::acos:
      return std::acos(x);
    case FormulaFunction::atan:
      return std::atan(x);
    case FormulaFunction::sqrt:
      return std::sqrt(x);
    case FormulaFunction::exp:
      return std::exp(x);
    case FormulaFunction::tanh:
      return std::tanh(x);
    case FormulaFunction::abs:
    case FormulaFunction::atan2:
      break;
  }
  return std::abs(x);
}
/// From what every kind of number knows.
template <Scalar S>
S function_of(FormulaFunction f, const S& x) {
  const auto other_leg = [&] { return sqrt((S(1) - x) * (S(1) + x)); };
  switch (f) {
    case FormulaFunction::sin:
      return sin(x);
    case FormulaFunction::cos:
      return cos(x);
    case FormulaFunction::tan:
      return sin(x) / cos(x);
    case FormulaFunction::asin:
      return atan2(x, other_leg());
    case FormulaFunction::acos:
      return atan2(other_leg(), x);
    case FormulaFunction::atan:
      return atan2(x, S(1));
    case FormulaFunction::sqrt:
      return sqrt(x);
    case FormulaFunction::exp:
      return exp(x);
    case FormulaFunction::tanh:
      return tanh(x);
    case FormulaFunction::abs:
    case FormulaFunction::atan2:
      break;
  }
  return magnitude_of(x);
}

/// The value of the formula; `stack` has room for CompiledFormula::deepest() numbers. A power whose exponent depends on names is for
/// doubles alone.
template <class S>
S evaluate(const std::vector<CompiledFormula::Step>& steps, const S* values, unsigned choices, S* stack) {
  using Op = CompiledFormula::Step::Op;
  std::size_t top = 0;  // one beyond the last
  for (const CompiledFormula::Step& step : steps) {
    const auto minus = [&] { return ((choices >> step.index) & 1u) != 0; };  // for a ±, of which there are few
    switch (step.op) {
      case Op::number:
        stack[top++] = S(step.number);
        break;
      case Op::name:
        stack[top++] = values[step.index];
        break;
      case Op::negate:
        stack[top - 1] = -stack[top - 1];
        break;
      case Op::negate_either:
        if (minus()) stack[top - 1] = -stack[top - 1];
        break;
      case Op::constant_power:
        stack[top - 1] = power_of(stack[top - 1], step.number);
        break;
      case Op::call:
        if (const auto f = static_cast<FormulaFunction>(step.index); f == FormulaFunction::atan2) {
          --top;
          stack[top - 1] = atan2(stack[top - 1], stack[top]);
        } else {
          stack[top - 1] = function_of(f, stack[top - 1]);
        }
        break;
      default: {
        const S& b = stack[--top];
        S& a = stack[top - 1];
        if (step.op == Op::add || (step.op == Op::either && !minus())) a = a + b;
        if (step.op == Op::subtract || (step.op == Op::either && minus())) a = a - b;
        if (step.op == Op::multiply) a = a * b;
        if (step.op == Op::divide) a = a / b;
        if constexpr (std::is_same_v<S, double>)
          if (step.op == Op::power) a = std::pow(a, b);
      }
    }
  }
  return stack[0];
}

}  // namespace armature::numerics
