// Polynomials in named numbers with sines and cosines of joint angles, in a form that is unique.
#pragma once

#include <Eigen/Core>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "armature/scalar/matrix.hpp"

namespace armature::codegen {

/// A sum of terms  c x^i y^j ... cos(k·q)  or  ... sin(k·q)  with whole numbers k: products of sines and cosines are turned into
/// sums, so that equal functions have equal terms and what cancels is gone. Symbols are numbers given out by the owner.
class TrigPoly {
 public:
  struct Power {
    int symbol, exponent;
    friend auto operator<=>(const Power&, const Power&) = default;
  };
  using Powers = std::vector<Power>;                  // sorted by symbol
  using Angle = std::array<std::int8_t, max_joints>;  // k, its first non-zero entry positive
  struct Monomial {
    Powers symbols;
    Angle angle{};
    bool sine = false;
    friend auto operator<=>(const Monomial&, const Monomial&) = default;
  };
  using Terms = std::map<Monomial, double>;

  TrigPoly() = default;
  TrigPoly(double number);  // NOLINT: a plain number is a constant
  static TrigPoly symbol(int number);
  static TrigPoly cos_of(int joint);
  static TrigPoly sin_of(int joint);

  [[nodiscard]] const Terms& terms() const { return terms_; }
  [[nodiscard]] bool zero() const { return terms_.empty(); }
  [[nodiscard]] bool constant() const;  // a number
  [[nodiscard]] double number() const;  // the term without symbols and angles

  TrigPoly& operator+=(const TrigPoly& b);
  TrigPoly& operator-=(const TrigPoly& b);
  TrigPoly& operator*=(const TrigPoly& b) { return *this = *this * b; }
  TrigPoly& operator/=(const TrigPoly& b) { return *this = *this / b; }
  friend TrigPoly operator+(TrigPoly a, const TrigPoly& b) { return a += b; }
  friend TrigPoly operator-(TrigPoly a, const TrigPoly& b) { return a -= b; }
  friend TrigPoly operator-(const TrigPoly& a) { return TrigPoly() - a; }
  friend TrigPoly operator*(const TrigPoly& a, const TrigPoly& b);
  friend TrigPoly operator/(const TrigPoly& a, const TrigPoly& b);  // by a number only; throws Error otherwise
  friend bool operator==(const TrigPoly& a, const TrigPoly& b) = default;

  [[nodiscard]] TrigPoly derivative_by_angle(int joint) const;
  [[nodiscard]] TrigPoly derivative_by_symbol(int symbol) const;
  /// What multiplies the first power of a symbol.
  [[nodiscard]] TrigPoly coefficient(int symbol) const;

  void add(Monomial m, double c);

 private:
  Terms terms_;
};

/// While it lives, this thread may make so many terms; then an Error says that the equations grow beyond all bounds. Inside
/// of another budget it cannot allow more than that.
class TermBudget {
 public:
  explicit TermBudget(double terms = 4e7);
  ~TermBudget();
  /// Takes some off the budget of this thread, where there is one.
  static void spend(double terms);
  TermBudget(const TermBudget&) = delete;
  TermBudget& operator=(const TermBudget&) = delete;

 private:
  double before_;
};

/// The symbols of both.
TrigPoly::Powers operator*(const TrigPoly::Powers& a, const TrigPoly::Powers& b);

}  // namespace armature::codegen

template <>
struct Eigen::NumTraits<armature::codegen::TrigPoly> : Eigen::NumTraits<double> {
  using Real = armature::codegen::TrigPoly;
  using NonInteger = armature::codegen::TrigPoly;
  using Nested = armature::codegen::TrigPoly;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 50,
    AddCost = 100,
    MulCost = 500
  };
};
