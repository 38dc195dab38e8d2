// A function of one variable as people write it: one formula, or definitions that build on one another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/numerics/formula.hpp"
#include "armature/scalar/scalar.hpp"

namespace armature::numerics {

/// Ready to be evaluated in a loop: it allocates nothing.
///
///     0.5*sin(q - 20*deg)          or          L = sqrt(a^2 + b^2 - 2*a*b*cos(q))    # a comment
///                                              torque = 900*(L - 0.4)*a*b*sin(q)/L
///
/// Constants are pi and deg = pi/180.
class WrittenFunction {
 public:
  /// `text` is a formula of `variable`, or definitions, one per line, the last of which defines `result`. Throws Error where it is
  /// not: what is wrong in `finding`, with line and column in `place` where they are known.
  WrittenFunction(std::string_view text, const std::string& variable, const std::string& result);

  /// For double, Dual and Expr.
  template <Scalar S>
  [[nodiscard]] S value(const S& x) const;
  /// The derivative.
  template <Scalar S>
  [[nodiscard]] S slope(const S& x) const;

 private:
  template <class S>
  [[nodiscard]] S evaluated(const S& x) const;

  std::vector<CompiledFormula> definitions_;
};

}  // namespace armature::numerics
