// What generated C++ brings along: sines and cosines of several angles at once, and eight states at once.
#include "armature/codegen/emit/internal/emit_languages.hpp"

namespace armature::codegen {

// Argument reduction and polynomials are those of fdlibm (e_rem_pio2.c, k_sin.c, k_cos.c), without branches. Registers of four lanes:
// g++ 12 fills and empties wider ones through memory, which costs more than the second half of the angles.
std::string cpp_turns() {
  return R"text(#ifndef ARMATURE_TURNS
#define ARMATURE_TURNS
namespace armature_turns {

// Sines and cosines of N angles. For double they are computed side by side, to less than one unit in the last place for
// angles up to 1e5 rad (beyond 1e6 rad they are wrong); plain sums and products, so every compiler gives the same bits unless
// it is told to contract or reorder them (-ffp-contract=fast, -ffast-math; the latter breaks the reduction of the angle).
template <class T, int N>
struct SinCos {
  T s[N], c[N];
  explicit SinCos(const T (&x)[N]) noexcept {
    using std::cos;
    using std::sin;
    for (int i = 0; i < N; ++i) s[i] = sin(x[i]), c[i] = cos(x[i]);
  }
};

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
typedef double Lanes2 __attribute__((vector_size(16), may_alias));
typedef unsigned long long Bits2 __attribute__((vector_size(16), may_alias));
typedef double Lanes4 __attribute__((vector_size(32), may_alias));
typedef unsigned long long Bits4 __attribute__((vector_size(32), may_alias));
typedef double Lanes8 __attribute__((vector_size(64), may_alias));
typedef double Memory8 __attribute__((vector_size(64), may_alias, aligned(8)));
typedef unsigned long long Bits8 __attribute__((vector_size(64), may_alias));

template <class V, class B>
__attribute__((always_inline)) inline void sin_cos(const V& x, V& s, V& c) noexcept {
  const double round = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves a whole number in the last bits
  const V t = x * 6.36619772367581382433e-01 + round;
  const V k = t - round;                           // quarter turns
  const V w = x - k * 1.57079632673412561417e+00;  // pi/2 in three parts
  const V m = k * 6.07710050630396597660e-11;
  const V r = w - m;
  const V y = ((w - r) - m) - k * 2.02226624879595063154e-21;  // the angle left is r + y
  const V z = r * r, v = z * r;
  const V p = 8.33333333332248946124e-03 +
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
  const B n = (B)t, odd = -(n & 1), a = (B)sine, b = (B)cosine;
  s = (V)(((a & ~odd) | (b & odd)) ^ ((n & 2) << 62));
  c = (V)(((b & ~odd) | (a & odd)) ^ (((n + 1) & 2) << 62));
}

template <bool two>
struct Register {
  typedef Lanes4 V;
  typedef Bits4 B;
};
template <>
struct Register<true> {
  typedef Lanes2 V;
  typedef Bits2 B;
};

template <int N>
struct SinCos<double, N> {
  typedef typename Register<(N <= 2)>::V V;
  typedef typename Register<(N <= 2)>::B B;
  static constexpr int lanes = N <= 2 ? 2 : 4, registers = (N + lanes - 1) / lanes;
  alignas(32) double s[registers * lanes];
  alignas(32) double c[registers * lanes];
  __attribute__((always_inline)) explicit SinCos(const double (&x)[N]) noexcept {
    for (int r = 0; r < registers; ++r) {
      V v = {};
      for (int i = 0; i < lanes; ++i)
        if (r * lanes + i < N) v[i] = x[r * lanes + i];
      sin_cos<V, B>(v, *(V*)(s + r * lanes), *(V*)(c + r * lanes));
    }
  }
};

// Eight states side by side: the functions below work on it as on a double. Doubles in memory, each followed by those of the seven
// other states, are an array of these: (const Eight*)q.
struct Eight {
  Memory8 v;
  Eight() = default;
  explicit Eight(double x) noexcept : v{x, x, x, x, x, x, x, x} {}
  static Eight load(const double* x) noexcept {
    Eight e;
    for (int i = 0; i < 8; ++i) e.v[i] = x[i];
    return e;
  }
  void store(double* x) const noexcept {
    for (int i = 0; i < 8; ++i) x[i] = v[i];
  }
  friend Eight operator+(Eight a, const Eight& b) noexcept { a.v += b.v; return a; }
  friend Eight operator-(Eight a, const Eight& b) noexcept { a.v -= b.v; return a; }
  friend Eight operator*(Eight a, const Eight& b) noexcept { a.v *= b.v; return a; }
  friend Eight operator/(Eight a, const Eight& b) noexcept { a.v /= b.v; return a; }
  friend Eight operator-(Eight a) noexcept { a.v = -a.v; return a; }
};
template <int N>
struct SinCos<Eight, N> {
  Eight s[N], c[N];
  __attribute__((always_inline)) explicit SinCos(const Eight (&x)[N]) noexcept { fill<0>(x); }
  template <int i>
  __attribute__((always_inline)) void fill(const Eight (&x)[N]) noexcept {  // a loop would pass them through memory
    Lanes8 sine, cosine;
    sin_cos<Lanes8, Bits8>(Lanes8(x[i].v), sine, cosine);
    s[i].v = sine, c[i].v = cosine;
    if constexpr (i + 1 < N) fill<i + 1>(x);
  }
};
#pragma GCC diagnostic pop
#endif

}  // namespace armature_turns
#endif
)text";
}

}  // namespace armature::codegen
