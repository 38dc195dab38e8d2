// The numbers that a closed loop (rollout.hpp) computes with: double, float, and several doubles side by side; and its random ones.
#pragma once

#include <math.h>  // not <cmath>: the overloads for float stand in the global namespace, as they do under nvcc
#include <stdint.h>

#include "armature/codegen/compiled/rollout_layout.hpp"

namespace armature_rollout {

#ifndef __CUDACC__  // overloads of ours stand beside them
using ::acos;
using ::exp;
using ::log;
using ::sqrt;
#endif

// --- Numbers: double, float, and several doubles side by side ---

/// The one number that all lanes share, whether a condition holds and where.
template <class T>
struct Number {
  using Scalar = T;
  using Mask = bool;
  static constexpr int lanes = 1;
  static constexpr bool nowhere = false;
};
/// Not up to `bound`, or not a number.
template <class T>
ARMATURE_DEVICE inline bool beyond(T x, T bound) {
  return !(x <= bound);
}
template <class T>
ARMATURE_DEVICE inline T select(bool condition, T yes, T no) {
  return condition ? yes : no;
}
ARMATURE_DEVICE inline bool everywhere(bool condition) { return condition; }
template <class T>
ARMATURE_DEVICE inline T larger(T a, T b) {
  return a < b ? b : a;
}
template <class T>
ARMATURE_DEVICE inline T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
ARMATURE_DEVICE inline T magnitude(T a) {
  return fabs(a);
}
template <class T>
ARMATURE_DEVICE inline T rounded(T a) {
  return nearbyint(a);
}
/// 1/x and 1/sqrt(x), which graphics processors have quicker ways to.
template <class T>
ARMATURE_DEVICE inline T reciprocal(T x) {
  return T(1) / x;
}
ARMATURE_DEVICE inline double reciprocal(double x) {
#ifdef __CUDA_ARCH__
  return __drcp_rn(x);
#else
  return 1 / x;
#endif
}
ARMATURE_DEVICE inline double over_root(double x) {
#ifdef __CUDA_ARCH__
  return rsqrt(x);
#else
  return 1 / sqrt(x);
#endif
}
/// tanh x, good to rounding of its largest value, without branches.
template <class T>
ARMATURE_DEVICE inline T smooth_sign(T x) {
  return T(1) - T(2) * reciprocal(exp(T(2) * x) + T(1));
}

#if defined(__GNUC__) && !defined(__CUDACC__) && defined(ARMATURE_LANES)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#define ARMATURE_INLINE __attribute__((always_inline)) inline

/// Doubles of as many runs. Comparisons give all ones or all zeros in each.
struct Lanes {
  static constexpr int width = ARMATURE_LANES;
  typedef double Values __attribute__((vector_size(8 * width)));
  typedef long long Bits __attribute__((vector_size(8 * width)));
  Values v;

  Lanes() = default;
  ARMATURE_INLINE explicit Lanes(double x) : v(Values{} + x) {}
  ARMATURE_INLINE explicit Lanes(Values x) : v(x) {}
  static ARMATURE_INLINE Lanes of_bits(Bits b) { return Lanes((Values)b); }
  friend ARMATURE_INLINE Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
  friend ARMATURE_INLINE Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
  friend ARMATURE_INLINE Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
  friend ARMATURE_INLINE Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
  friend ARMATURE_INLINE Lanes operator-(Lanes a) { return Lanes(-a.v); }
  friend ARMATURE_INLINE Lanes& operator+=(Lanes& a, Lanes b) { return a = a + b; }
  friend ARMATURE_INLINE Lanes& operator-=(Lanes& a, Lanes b) { return a = a - b; }
  friend ARMATURE_INLINE Lanes& operator*=(Lanes& a, Lanes b) { return a = a * b; }
  friend ARMATURE_INLINE Bits operator<(Lanes a, Lanes b) { return (Bits)(a.v < b.v); }
  friend ARMATURE_INLINE Bits operator>(Lanes a, Lanes b) { return (Bits)(a.v > b.v); }
  friend ARMATURE_INLINE Bits operator<=(Lanes a, Lanes b) { return (Bits)(a.v <= b.v); }
  friend ARMATURE_INLINE Bits operator>=(Lanes a, Lanes b) { return (Bits)(a.v >= b.v); }
};
template <>
struct Number<Lanes> {
  using Scalar = double;
  using Mask = Lanes::Bits;
  static constexpr int lanes = Lanes::width;
  static constexpr Lanes::Bits nowhere = {};
};
ARMATURE_INLINE Lanes::Bits beyond(Lanes x, Lanes bound) { return ~(x <= bound); }
ARMATURE_INLINE Lanes select(Lanes::Bits condition, Lanes yes, Lanes no) {
  return Lanes::of_bits((condition & (Lanes::Bits)yes.v) | (~condition & (Lanes::Bits)no.v));
}
ARMATURE_INLINE bool everywhere(Lanes::Bits condition) {
  long long all = -1;
  for (int i = 0; i < Lanes::width; ++i) all &= condition[i];
  return all != 0;
}
ARMATURE_INLINE Lanes larger(Lanes a, Lanes b) { return select(a < b, b, a); }
ARMATURE_INLINE Lanes smaller(Lanes a, Lanes b) { return select(b < a, b, a); }
ARMATURE_INLINE Lanes magnitude(Lanes a) { return Lanes::of_bits((Lanes::Bits)a.v & 0x7fffffffffffffffLL); }
ARMATURE_INLINE Lanes
rounded(Lanes a) {  // adding 1.5 * 2^52 leaves a whole number, to even; beyond 2^51 there is no fraction to lose
  const Lanes whole = (a + Lanes(0x1.8p52)) - Lanes(0x1.8p52);
  return select(magnitude(a) < Lanes(0x1p51), whole, a);
}
ARMATURE_INLINE Lanes sqrt(Lanes a) {
  Lanes root;
  for (int i = 0; i < Lanes::width; ++i) root.v[i] = ::sqrt(a.v[i]);
  return root;
}
ARMATURE_INLINE Lanes acos(Lanes a) {
  Lanes angle;
  for (int i = 0; i < Lanes::width; ++i) angle.v[i] = ::acos(a.v[i]);
  return angle;
}

/// Argument reduction and polynomials are those of fdlibm (e_rem_pio2.c, k_sin.c, k_cos.c), without branches.
ARMATURE_INLINE void sin_cos(Lanes angle, Lanes& s, Lanes& c) {
  using V = Lanes::Values;
  using B = Lanes::Bits;
  const V x = angle.v;
  const double round = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves a whole number in the last bits
  const V t = x * 6.36619772367581382433e-01 + round;
  const V k = t - round;                           // quarter turns
  const V w = x - k * 1.57079632673412561417e+00;  // pi/2 in three parts
  const V m = k * 6.07710050630396597660e-11;
  const V r = w - m;
  const V y = ((w - r) - m) - k * 2.02226624879595063154e-21;  // the angle left is r + y
  const V z = r * r, v = z * r;
  const V p =
      8.33333333332248946124e-03 +
      z * (-1.98412698298579493134e-04 +
           z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const V sine = r - ((z * (0.5 * y - v * p) - y) + v * 1.66666666666666324348e-01);
  const V h = 0.5 * z, u = 1.0 - h;
  const V q = z * (4.16666666666666019037e-02 +
                   z * (-1.38888888888741095749e-03 +
                        z * (2.48015872894767294178e-05 +
                             z * (-2.75573143513906633035e-07 +
                                  z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const V cosine = u + (((1.0 - u) - h) + (z * q - r * y));
  const B quarter = (B)t, odd = -(quarter & 1), a = (B)sine, b = (B)cosine;
  s = Lanes::of_bits(((a & ~odd) | (b & odd)) ^ ((quarter & 2) << 62));
  c = Lanes::of_bits(((b & ~odd) | (a & odd)) ^ (((quarter + 1) & 2) << 62));
}
ARMATURE_INLINE Lanes sin(Lanes x) {
  Lanes s, c;
  sin_cos(x, s, c);
  return s;
}
ARMATURE_INLINE Lanes cos(Lanes x) {
  Lanes s, c;
  sin_cos(x, s, c);
  return c;
}

/// e^x for |x| up to 700, the ends beyond: 2^k e^r with |r| <= ln 2/2, and the series of e^r.
ARMATURE_INLINE Lanes exp(Lanes x) {
  x = larger(smaller(x, Lanes(700.0)), Lanes(-700.0));
  const Lanes shifted = x * Lanes(0x1.71547652b82fep0) + Lanes(0x1.8p52), k = shifted - Lanes(0x1.8p52);
  const Lanes r = (x - k * Lanes(0x1.62e42fee00000p-1)) - k * Lanes(0x1.a39ef35793c76p-33);
  Lanes sum(1. / 6227020800);
  const double over[] = {1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040, 1. / 720,
                         1. / 120,       1. / 24,       1. / 6,       1. / 2,      1.,         1.};
  for (const double factor : over) sum = sum * r + Lanes(factor);
  return sum * Lanes::of_bits(((Lanes::Bits)shifted.v + 1023) << 52);
}

/// The natural logarithm of positive normal numbers, as in fdlibm (e_log.c): x = 2^k (1 + f), s = f/(2 + f).
ARMATURE_INLINE Lanes log(Lanes x) {
  using B = Lanes::Bits;
  B bits = (B)x.v;
  const B up = bits + 0x95f6200000000LL;  // from sqrt(2) on the next power is nearer
  const B exponent = (up >> 52) - 1023;
  bits = bits - (exponent << 52);
  const Lanes k = Lanes::of_bits(exponent + 0x4338000000000000LL) - Lanes(0x1.8p52);
  const Lanes f = Lanes::of_bits(bits) - Lanes(1.0), s = f / (Lanes(2.0) + f), z = s * s, w = z * z;
  const Lanes even = w * (Lanes(3.999999999940941908e-01) +
                          w * (Lanes(2.222219843214978396e-01) + w * Lanes(1.531383769920937332e-01)));
  const Lanes odd = z * (Lanes(6.666666666666735130e-01) +
                         w * (Lanes(2.857142874366239149e-01) +
                              w * (Lanes(1.818357216161805012e-01) + w * Lanes(1.479819860511658591e-01))));
  const Lanes half = Lanes(0.5) * f * f;
  return k * Lanes(6.93147180369123816490e-01) -
         ((half - (s * (half + even + odd) + k * Lanes(1.90821492927058770002e-10))) - f);
}
#pragma GCC diagnostic pop
#endif

// --- Random numbers ---

/// The generator of core/random.hpp. In double precision the numbers are the same, one by one.
struct Noise {
  uint64_t state;
  ARMATURE_DEVICE uint64_t bits() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  ARMATURE_DEVICE double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  // [0, 1)

  /// By the polar method of Marsaglia: a number in (-1, 1), and the square s by which it becomes normal, times sqrt(-2 log(s)/s).
  ARMATURE_DEVICE void pair(double& u, double& s) {
    double v;
    do {
      u = -1 + 2 * uniform();
      v = -1 + 2 * uniform();
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
  }
};

/// The random numbers of as many runs as T has lanes.
template <class T>
struct Sequence {
  Noise noise;
  ARMATURE_DEVICE explicit Sequence(const uint64_t* seed) : noise{seed[0]} {}
  /// Standard normal numbers. Pairs outside the circle are passed over for all of them together: threads side by side wait for each
  /// other once, not `count` times.
  template <int most>
  ARMATURE_FLAT void normal(int count, double (&z)[most]) {
    double square[most];
    for (int found = 0; found < count;) {
      const double u = -1 + 2 * noise.uniform(), v = -1 + 2 * noise.uniform(), s = u * u + v * v;
      const bool inside = s < 1 && s != 0;
      ARMATURE_UNROLL
      for (int i = 0; i < count; ++i)  // not z[found]: what is indexed is no register
        if (inside && i == found) {
          z[i] = u;
          square[i] = s;
        }
      found += inside;
    }
    ARMATURE_UNROLL
    for (int i = 0; i < count; ++i) {
      const double width = -2 * log(square[i]);
      z[i] *= width * over_root(width * square[i]);
    }
  }
  /// In single precision two from each 64 bits, by the transform of Box and Muller: other numbers, the same distribution.
  ARMATURE_FLAT void normal(int count, float* z) {
    ARMATURE_UNROLL
    for (int i = 0; i < count; i += 2) {
      const uint64_t b = noise.bits();
      const float u = (static_cast<float>(static_cast<uint32_t>(b >> 32)) + 0.5F) * 0x1.0p-32F;
      const float angle = static_cast<float>(static_cast<uint32_t>(b)) * (6.2831853F * 0x1.0p-32F);
#ifdef __CUDA_ARCH__
      const float radius = sqrtf(-2 * __logf(u)), c = __cosf(angle), s = __sinf(angle);
#else
      const float radius = sqrtf(-2 * logf(u)), c = cosf(angle), s = sinf(angle);
#endif
      z[i] = radius * c;
      if (i + 1 < count) z[i + 1] = radius * s;
    }
  }
};
#if defined(__GNUC__) && !defined(__CUDACC__) && defined(ARMATURE_LANES)
template <>
struct Sequence<Lanes> {
  Noise noise[Lanes::width];
  explicit Sequence(const uint64_t* seed) {
    for (int lane = 0; lane < Lanes::width; ++lane) noise[lane].state = seed[lane];
  }
  template <int most>
  void normal(int count, Lanes (&z)[most]) {
    double u[most][Lanes::width], s[most][Lanes::width];
    for (int lane = 0; lane < Lanes::width; ++lane)
      for (int i = 0; i < count; ++i) noise[lane].pair(u[i][lane], s[i][lane]);
    for (int i = 0; i < count; ++i) {
      Lanes square, number;
      __builtin_memcpy(&number, u[i], sizeof number);
      __builtin_memcpy(&square, s[i], sizeof square);
      z[i] = number * sqrt(Lanes(-2.0) * log(square) / square);
    }
  }
};
#endif

}  // namespace armature_rollout
