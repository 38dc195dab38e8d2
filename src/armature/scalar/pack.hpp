// Eight numbers at once, in vector registers: eight states go through an algorithm in one call.
#pragma once

#include <Eigen/Core>

#include "armature/scalar/scalar.hpp"

namespace armature::scalar {

/// Element-wise arithmetic. sin and cos are one polynomial for all eight lanes, within 2 ulp of libm for |x| <= 1e5, and
/// libm itself beyond.
class Pack {
 public:
  static constexpr int width = 8;
  /// What the compiler computes with. Kept out of the object itself, whose layout and passing must not depend on the
  /// instruction set a user compiles for.
  using Lanes = double __attribute__((vector_size(width * sizeof(double)), aligned(8)));

  Pack() = default;
  Pack(double x) {  // NOLINT: a plain number is the same in every lane
    for (double& lane : lanes_) lane = x;
  }
  explicit Pack(const Lanes& lanes) { __builtin_memcpy(lanes_, &lanes, sizeof lanes_); }

  double operator[](int lane) const { return lanes_[lane]; }
  void set(int lane, double x) { lanes_[lane] = x; }
  void load(Lanes& lanes) const { __builtin_memcpy(&lanes, lanes_, sizeof lanes_); }

  friend Pack operator+(const Pack& a, const Pack& b) {
    Lanes x, y;
    a.load(x);
    b.load(y);
    return Pack(x + y);
  }
  friend Pack operator-(const Pack& a, const Pack& b) {
    Lanes x, y;
    a.load(x);
    b.load(y);
    return Pack(x - y);
  }
  friend Pack operator*(const Pack& a, const Pack& b) {
    Lanes x, y;
    a.load(x);
    b.load(y);
    return Pack(x * y);
  }
  friend Pack operator/(const Pack& a, const Pack& b) {
    Lanes x, y;
    a.load(x);
    b.load(y);
    return Pack(x / y);
  }
  friend Pack operator-(const Pack& a) {
    Lanes x;
    a.load(x);
    return Pack(-x);
  }
  Pack& operator+=(const Pack& b) { return *this = *this + b; }
  Pack& operator-=(const Pack& b) { return *this = *this - b; }
  Pack& operator*=(const Pack& b) { return *this = *this * b; }
  Pack& operator/=(const Pack& b) { return *this = *this / b; }

  friend Pack sin(const Pack& a);
  friend Pack cos(const Pack& a);
  friend Pack sqrt(const Pack& a);
  friend Pack exp(const Pack& a);                   // lane by lane
  friend Pack tanh(const Pack& a);                  // within 3 ulp
  friend Pack atan2(const Pack& y, const Pack& x);  // lane by lane

 private:
  double lanes_[width];
};

}  // namespace armature::scalar

template <>
struct Eigen::NumTraits<armature::scalar::Pack> : Eigen::NumTraits<double> {
  using Real = armature::scalar::Pack;
  using NonInteger = armature::scalar::Pack;
  using Nested = armature::scalar::Pack;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
