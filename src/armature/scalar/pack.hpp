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
  /// What the compiler computes with: as many numbers as a register holds where code is compiled for AVX-512, else the four of AVX2
  /// (g++ takes eight through memory there). Kept out of the object itself, whose layout and passing must not depend on the
  /// instruction set a user compiles for.
#ifdef __AVX512F__
  static constexpr int piece = 8;
#else
  static constexpr int piece = 4;
#endif
  static constexpr int pieces = width / piece;
  using Piece = double __attribute__((vector_size(piece * sizeof(double)), aligned(8)));

  Pack() = default;
  Pack(double x) {  // NOLINT: a plain number is the same in every lane
    for (double& lane : lanes_) lane = x;
  }

  double operator[](int lane) const { return lanes_[lane]; }
  void set(int lane, double x) { lanes_[lane] = x; }
  /// Piece number k, from 0. By reference: how vectors are passed by value depends on the instruction set.
  [[gnu::always_inline]] void load(int k, Piece& x) const { __builtin_memcpy(&x, lanes_ + k * piece, sizeof x); }
  [[gnu::always_inline]] void store(int k, const Piece& x) { __builtin_memcpy(lanes_ + k * piece, &x, sizeof x); }

  [[gnu::always_inline]] friend inline Pack operator+(const Pack& a, const Pack& b) {
    return piecewise(a, b, [](Piece& x, const Piece& y) { x += y; });
  }
  [[gnu::always_inline]] friend inline Pack operator-(const Pack& a, const Pack& b) {
    return piecewise(a, b, [](Piece& x, const Piece& y) { x -= y; });
  }
  [[gnu::always_inline]] friend inline Pack operator*(const Pack& a, const Pack& b) {
    return piecewise(a, b, [](Piece& x, const Piece& y) { x *= y; });
  }
  [[gnu::always_inline]] friend inline Pack operator/(const Pack& a, const Pack& b) {
    return piecewise(a, b, [](Piece& x, const Piece& y) { x /= y; });
  }
  [[gnu::always_inline]] friend inline Pack operator-(const Pack& a) {
    return piecewise(a, a, [](Piece& x, const Piece&) { x = -x; });
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
  template <class F>
  [[gnu::always_inline]] static Pack piecewise(const Pack& a, const Pack& b, F f) {
    Pack result;
    for (int k = 0; k < pieces; ++k) {
      Piece x, y;
      a.load(k, x);
      b.load(k, y);
      f(x, y);
      result.store(k, x);
    }
    return result;
  }
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
