// A closed loop of a rigid arm with its state in registers: plain C++ that nvcc compiles for a graphics processor as well. It
// computes what simulation/loop.hpp computes with a fixed step, and keeps figures instead of a log. It includes nothing of this
// library, so that it can travel beside generated functions.
//
// A loop is a class of constants and functions (campaign/kernel_loop.cpp and codegen/rollout_text.cpp write them):
//
//   struct Loop {
//     static constexpr int n = 7, bends = 1, parameters = 0;                     // joints; terms of friction; of the dynamics
//     static constexpr Step step = Step::rk4;
//     static constexpr bool pd, gravity, computed_torque, table_torque, cartesian;  // the law is their sum
//     static constexpr bool position_noise, speed_noise, encoder, difference;    // sensors
//     static constexpr bool humps;                                               // and is largest near standstill
//     static constexpr bool leans;                                               // friction grows otherwise to either side
//     static constexpr bool converter;                                           // of the torques, to so many bits
//     static constexpr bool tool, moves, limits, efforts, power, balance, joints;  // figures that are kept
//     template <class T> ARMATURE_DEVICE static void forward_dynamics(const T* q, const T* qd, const T* tau, const T* p, T* qdd);
//     template <class T> ARMATURE_DEVICE static void energy(const T* q, const T* qd, const T* p, T* E);
//     template <class T> ARMATURE_DEVICE static void tool_pose(const T* q, T* R, T* x);
//     template <class T> ARMATURE_DEVICE static void gravity_torque(const T* q, T* g);                       // believed
//     template <class T> ARMATURE_DEVICE static void inverse_dynamics(const T* q, const T* qd, const T* qdd, T* tau);
//     template <class T> ARMATURE_DEVICE static void believed_pose(const T* q, T* R, T* x);
//     template <class T> ARMATURE_DEVICE static void jacobian(const T* q, T* J);
//     // the numbers of a run, from those that all share and those that vary
//     template <class T> ARMATURE_DEVICE static void fill(const S* common, const S* varied, long stride, T* number);
//   };
#pragma once

#include <math.h>  // not <cmath>: the overloads for float stand in the global namespace, as they do under nvcc
#include <stdint.h>

#ifdef __CUDACC__
#define ARMATURE_DEVICE __host__ __device__
#define ARMATURE_FLAT __host__ __device__ __forceinline__  // what works on a run's registers must not be a call
#define ARMATURE_UNROLL _Pragma("unroll")
#else
#define ARMATURE_DEVICE
#define ARMATURE_FLAT inline
#define ARMATURE_UNROLL
#endif

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
  template <int count>
  ARMATURE_DEVICE void normal(double* z) {
    double square[count];
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
  template <int count>
  ARMATURE_DEVICE void normal(float* z) {
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
  template <int count>
  void normal(Lanes* z) {
    double u[count][Lanes::width], s[count][Lanes::width];
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

// --- The loop ---

enum class Step { euler, semi_implicit_euler, heun, rk4 };

/// Where the numbers of a run stand, joint by joint [SI].
template <class Loop>
struct Place {
  static constexpr int n = Loop::n;
  static constexpr int q = 0, qd = n;           // start
  static constexpr int kp = 2 * n, kd = 3 * n;  // gains
  // friction: offset + viscous qd + sum of bend tanh(steep qd), the bends of all joints one after the other; the first is
  // bend + lean qd + hump exp(-(narrow qd)²)
  static constexpr int viscous = 4 * n, offset = 5 * n, lean = 6 * n, hump = 7 * n, narrow = 8 * n, bend = 9 * n;
  static constexpr int steep = bend + Loop::bends * n;
  static constexpr int limit = steep + Loop::bends * n;                        // of the torques; 1e300: none
  static constexpr int lower = limit + n, upper = limit + 2 * n;               // of the joints; -1e300, 1e300: none
  static constexpr int per_half_range = limit + 3 * n;                         // 0: no range
  static constexpr int per_speed = limit + 4 * n, per_torque = limit + 5 * n;  // one over the joints' limits; 0: none
  // last of the reference, how far it goes above and below it, and its last step
  static constexpr int goal = limit + 6 * n, rise = limit + 7 * n, fall = limit + 8 * n, last_step = limit + 9 * n;
  static constexpr int encoder = limit + 10 * n;                                 // resolution of the positions
  static constexpr int position_noise = encoder + 1, speed_noise = encoder + 2;  // standard deviations
  static constexpr int command_range = encoder + 3, command_step = encoder + 4;  // of the converter of the torques
  static constexpr int stored = encoder + 5;                                     // energy at rest, all positions zero
  static constexpr int task_kp = encoder + 6, task_kd = encoder + 12;            // along and about the tool's axes
  static constexpr int parameters = encoder + 18;                                // of the equations of motion
  static constexpr int count = parameters + Loop::parameters;
};

/// Where the figures of a run stand when it is over. Sums are over the samples.
template <class Loop>
struct Figure {
  static constexpr int n = Loop::n;
  static constexpr int ended = 0;  // 1: it diverged; 2: the energy balance does not close
  static constexpr int tool_squares = 1, tool_largest = 2, tool_end = 3;  // distances
  static constexpr int turn_squares = 4, turn_largest = 5;                // angles
  static constexpr int unsettled = 6, overshoot = 7;  // last sample off its goal, of any joint; share of the move
  static constexpr int peak = 8, supplied = 9, dissipated = 10;           // largest torque asked for; energies
  static constexpr int margin = 11, speed_share = 12, torque_share = 13;  // of the joints' limits
  static constexpr int error_squares = 14, error_largest = 15;            // of all joints together
  static constexpr int torque_squares = 16, saturated = 16 + n;           // joint by joint, from here on
  static constexpr int own = 16 + 2 * n;                                  // those of the joints, where they are kept
  static constexpr int joint_squares = own, joint_largest = own + n, joint_end = own + 2 * n,
                       joint_unsettled = own + 3 * n, joint_overshoot = own + 4 * n, joint_distance = own + 5 * n,
                       joint_peak = own + 6 * n;
  static constexpr int count = own + (Loop::joints ? 7 * n : 0);
};

/// Columns of a row of the reference's table.
template <class Loop>
struct Column {
  static constexpr int n = Loop::n;
  static constexpr int q = 0, qd = n, qdd = 2 * n;
  static constexpr int torque = qdd + (Loop::computed_torque ? n : 0);
  static constexpr int R = torque + (Loop::table_torque ? n : 0), x = R + 9;
  static constexpr int twist = x + 3;  // of the tool
  static constexpr int count = twist + (Loop::cartesian ? 6 : 0);
};

/// What all runs share.
template <class S>
struct Clock {
  S tick, step;             // of the controller and of the integrator [s]
  int ticks, steps, every;  // of a run; steps of the integrator in a tick; ticks between samples
};

constexpr double diverged_distance = 1e5, diverged_speed = 1e4;  // as in simulation/loop.hpp

/// Accelerations under held torques, and the power that friction takes.
template <class Loop, class T>
ARMATURE_DEVICE inline void accelerations(const T* number, const T* q, const T* qd, const T* held, T* qdd, T& lost) {
  using P = Place<Loop>;
  T tau[Loop::n];
  lost = T(0);
  ARMATURE_UNROLL
  for (int i = 0; i < Loop::n; ++i) {
    T rubbing = number[P::offset + i] + number[P::viscous + i] * qd[i];
    ARMATURE_UNROLL
    for (int k = 0; k < Loop::bends; ++k) {
      T height = number[P::bend + k * Loop::n + i];
      if constexpr (Loop::leans)
        if (k == 0) height += number[P::lean + i] * qd[i];
      if constexpr (Loop::humps)
        if (k == 0) {
          const T ratio = qd[i] * number[P::narrow + i];
          height += number[P::hump + i] * exp(-(ratio * ratio));
        }
      rubbing += height * smooth_sign(qd[i] * number[P::steep + k * Loop::n + i]);
    }
    tau[i] = held[i] - rubbing;
    if constexpr (Loop::power) lost += rubbing * qd[i];
  }
  Loop::template forward_dynamics<T>(q, qd, tau, number + P::parameters, qdd);
}

template <int n, class T>
ARMATURE_DEVICE inline T dot(const T* a, const T* b) {
  T sum(0);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// One step of length h; energies are integrated beside the state.
template <class Loop, class T>
ARMATURE_FLAT void advance(const T* number, T h, T* q, T* qd, const T* held, T& supplied, T& dissipated) {
  constexpr int n = Loop::n;
  T a[n], lost;
  accelerations<Loop>(number, q, qd, held, a, lost);
  if constexpr (Loop::step == Step::rk4 || Loop::step == Step::heun) {
    constexpr int stages = Loop::step == Step::rk4 ? 4 : 2;
    T q0[n], v0[n], q_sum[n], v_sum[n], given(0), taken(0);
    if constexpr (Loop::power) {
      given = dot<n>(held, qd);
      taken = lost;
    }
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      q0[i] = q[i];
      v0[i] = qd[i];
      q_sum[i] = qd[i];
      v_sum[i] = a[i];
    }
    for (int stage = 1; stage < stages; ++stage) {
      const bool last = stage == stages - 1;
      const T part = last ? h : h * T(0.5), weight = last ? T(1) : T(2);
      ARMATURE_UNROLL
      for (int i = 0; i < n; ++i) {
        q[i] = q0[i] + part * qd[i];
        qd[i] = v0[i] + part * a[i];
      }
      accelerations<Loop>(number, q, qd, held, a, lost);
      if constexpr (Loop::power) {
        given += weight * dot<n>(held, qd);
        taken += weight * lost;
      }
      ARMATURE_UNROLL
      for (int i = 0; i < n; ++i) {
        q_sum[i] += weight * qd[i];
        v_sum[i] += weight * a[i];
      }
    }
    const T share = h * T(stages == 4 ? 1. / 6 : 1. / 2);
    supplied += share * given;
    dissipated += share * taken;
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      q[i] = q0[i] + share * q_sum[i];
      qd[i] = v0[i] + share * v_sum[i];
    }
  } else {
    if constexpr (Loop::power) {
      supplied += h * dot<n>(held, qd);
      dissipated += h * lost;
    }
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      const T v = qd[i];
      qd[i] += h * a[i];
      q[i] += h * (Loop::step == Step::semi_implicit_euler ? qd[i] : v);
    }
  }
}

/// What the sensors show; `last` is the reading before.
template <class Loop, class T>
ARMATURE_FLAT void measure(const T* number, Sequence<T>& noise, const T* q, const T* qd, T tick, bool first, T* last,
                           T* q_seen, T* qd_seen) {
  using P = Place<Loop>;
  constexpr int n = Loop::n, each = (Loop::position_noise ? 1 : 0) + (Loop::speed_noise ? 1 : 0);
  T z[n * each + 1];
  const T per_encoder = Loop::encoder ? reciprocal(number[P::encoder]) : T(0);
  if constexpr (each > 0) noise.template normal<n * each>(z);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    q_seen[i] = q[i];
    qd_seen[i] = qd[i];
    if constexpr (Loop::position_noise) q_seen[i] += number[P::position_noise] * z[each * i];
    if constexpr (Loop::encoder) q_seen[i] = number[P::encoder] * rounded(q_seen[i] * per_encoder);
    if constexpr (Loop::speed_noise) qd_seen[i] += number[P::speed_noise] * z[each * i + each - 1];
    if constexpr (Loop::difference) {
      qd_seen[i] = first ? T(0) : (q_seen[i] - last[i]) / tick;
      last[i] = q_seen[i];
    }
  }
}

/// R a, or Rᵀ a.
template <class T>
ARMATURE_DEVICE inline void turned(const T* R, const T* a, T* b) {
  for (int i = 0; i < 3; ++i) b[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}
template <class T>
ARMATURE_DEVICE inline void turned_back(const T* R, const T* a, T* b) {
  for (int i = 0; i < 3; ++i) b[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}
template <class T>
ARMATURE_DEVICE inline void add_cross(const T* a, const T* b, T* c) {
  c[0] += a[1] * b[2] - a[2] * b[1];
  c[1] += a[2] * b[0] - a[0] * b[2];
  c[2] += a[0] * b[1] - a[1] * b[0];
}

/// The torques of a spring and a damper between the tool and its target, in the tool's axes (control/cartesian_impedance.hpp), up to a
/// quarter turn or so apart.
template <class Loop, class T>
ARMATURE_FLAT void impedance(const T* number, const typename Number<T>::Scalar* wanted, const T* q, const T* qd,
                             T* tau) {
  using P = Place<Loop>;
  using C = Column<Loop>;
  constexpr int n = Loop::n;
  T R[9], x[3], J[6 * n], goal[9];
  Loop::template believed_pose<T>(q, R, x);
  Loop::template jacobian<T>(q, J);
  for (int i = 0; i < 9; ++i) goal[i] = T(wanted[C::R + i]);
  // A = Rᵀ R_r has the quaternion (eta, epsilon)
  T A[9], trace(1);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[3 * i + j] = R[i] * goal[j] + R[3 + i] * goal[3 + j] + R[6 + i] * goal[6 + j];
  trace = trace + A[0] + A[4] + A[8];
  const T eta = T(0.5) * sqrt(larger(trace, T(1e-6))), over = T(0.25) / eta;
  const T epsilon[3] = {(A[7] - A[5]) * over, (A[2] - A[6]) * over, (A[3] - A[1]) * over};
  T away[3], error[3], V[6], slow[3], spin[3], rate[3], turn[3], zero(0);
  for (int i = 0; i < 3; ++i) away[i] = x[i] - T(wanted[C::x + i]);
  turned_back(R, away, error);
  for (int i = 0; i < 6; ++i) {
    V[i] = zero - T(wanted[C::twist + i]);
    for (int j = 0; j < n; ++j) V[i] += J[n * i + j] * qd[j];
  }
  // error' = v - v_r + error x w in the tool's axes: the turning of the axes counts in full, that of the target does not
  T own[3];
  for (int i = 0; i < 3; ++i) own[i] = V[3 + i] + T(wanted[C::twist + 3 + i]);
  turned_back(R, V, slow);
  turned_back(R, own, spin);
  for (int i = 0; i < 3; ++i) rate[i] = slow[i];
  add_cross(error, spin, rate);
  turned_back(R, V + 3, spin);
  for (int i = 0; i < 3; ++i) turn[i] = eta * spin[i];
  add_cross(spin, epsilon, turn);
  T f[3], m[3], force[3], moment[3], back[3];
  for (int i = 0; i < 3; ++i) {
    f[i] = number[P::task_kp + i] * error[i] + number[P::task_kd + i] * rate[i];
    m[i] = number[P::task_kd + 3 + i] * turn[i] - T(2) * number[P::task_kp + 3 + i] * epsilon[i];
    back[i] = eta * m[i];
  }
  add_cross(epsilon, m, back);
  add_cross(f, error, back);
  turned(R, f, force);
  turned(R, back, moment);
  for (int j = 0; j < n; ++j) {
    tau[j] = zero;
    for (int i = 0; i < 3; ++i) tau[j] -= J[n * i + j] * force[i] + J[n * (3 + i) + j] * moment[i];
  }
}

/// The torques of the law for what was measured.
template <class Loop, class T>
ARMATURE_FLAT void control(const T* number, const typename Number<T>::Scalar* wanted, const T* q, const T* qd, T* tau) {
  using P = Place<Loop>;
  using C = Column<Loop>;
  constexpr int n = Loop::n;
  T pull[n];
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    pull[i] = T(0);
    if constexpr (Loop::pd || Loop::computed_torque)
      pull[i] = number[P::kp + i] * (T(wanted[C::q + i]) - q[i]) + number[P::kd + i] * (T(wanted[C::qd + i]) - qd[i]);
    if constexpr (Loop::computed_torque) pull[i] += T(wanted[C::qdd + i]);
  }
  if constexpr (Loop::cartesian) impedance<Loop>(number, wanted, q, qd, pull);
  if constexpr (Loop::computed_torque) Loop::template inverse_dynamics<T>(q, qd, pull, tau);
  if constexpr (Loop::gravity) Loop::template gravity_torque<T>(q, tau);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    if constexpr (!Loop::computed_torque) tau[i] = Loop::gravity ? pull[i] + tau[i] : pull[i];
    if constexpr (Loop::table_torque) tau[i] += T(wanted[C::torque + i]);
  }
}

/// What is kept of a run while it lasts.
template <class Loop, class T>
struct Keeper {
  using P = Place<Loop>;
  using F = Figure<Loop>;
  using C = Column<Loop>;
  static constexpr int n = Loop::n, own = Loop::joints ? n : 1, moving = Loop::moves ? n : 1;
  T tool_squares, tool_largest, tool_end, turn_squares, turn_largest;
  T unsettled, overshoot, peak, margin, speed_share, torque_share, error_squares, error_largest;
  T torque_squares[n], saturated[n];
  T band[moving], per_move[moving];
  T joint_squares[own], joint_largest[own], joint_end[own], joint_unsettled[own], joint_overshoot[own],
      joint_distance[own], joint_peak[own];
  T from_zero, at_start, work, most_stored, off, last_given, last_taken, last_stored;

  ARMATURE_FLAT explicit Keeper(const T* number) {
    const T zero(0);
    tool_squares = tool_largest = tool_end = turn_squares = turn_largest = zero;
    overshoot = peak = speed_share = torque_share = error_squares = error_largest = zero;
    unsettled = T(-1);
    margin = T(1e300);
    from_zero = at_start = work = most_stored = off = last_given = last_taken = last_stored = zero;
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      torque_squares[i] = saturated[i] = zero;
      if constexpr (Loop::moves) {
        // a joint that goes one way to its goal, as run/comparison.cpp sees it
        const T move = number[P::goal + i] - number[P::q + i], size = magnitude(move);
        const T up = select(move > zero, number[P::rise + i], -number[P::fall + i]);
        const T down = select(move > zero, number[P::fall + i], -number[P::rise + i]);
        const T straight = select(size > T(1e-9), T(1), zero) * select(up <= T(0.05) * size, T(1), zero) *
                           select(down >= T(-1.05) * size, T(1), zero);
        per_move[i] = select(straight > zero, T(1) / select(size > zero, move, T(1)), zero);
        const T rests = straight * select(number[P::last_step + i] <= T(1e-6) * size, T(1), zero);
        band[i] = select(rests > zero, T(0.02) * size, T(1e300));
      }
      if constexpr (Loop::joints) {
        joint_squares[i] = joint_largest[i] = joint_end[i] = joint_overshoot[i] = joint_peak[i] = zero;
        joint_unsettled[i] = T(-1);
        joint_distance[i] = T(1e300);
      }
    }
  }

  ARMATURE_FLAT void sample(const T* number, const typename Number<T>::Scalar* wanted, T index, const T* q, const T* qd,
                            const T* asked, const T* command, const T* held, T supplied, T dissipated) {
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      const T error = T(wanted[C::q + i]) - q[i], size = magnitude(error), pull = magnitude(asked[i]);
      error_squares += error * error;
      error_largest = larger(error_largest, size);
      peak = larger(peak, pull);
      if constexpr (Loop::efforts) torque_squares[i] += asked[i] * asked[i];
      saturated[i] += select(magnitude(command[i]) >= T(1 - 1e-9) * number[P::limit + i], T(1), T(0));
      const T distance = smaller(q[i] - number[P::lower + i], number[P::upper + i] - q[i]);
      if constexpr (Loop::limits) {
        const T share = number[P::per_half_range + i];
        speed_share = larger(speed_share, magnitude(qd[i]) * number[P::per_speed + i]);
        torque_share = larger(torque_share, magnitude(held[i]) * number[P::per_torque + i]);
        margin = smaller(margin, select(share > T(0), distance * share, T(1e300)));
      }
      if constexpr (Loop::moves) {
        unsettled = select(size > band[i], index, unsettled);
        overshoot = larger(overshoot, (q[i] - number[P::goal + i]) * per_move[i]);
      }
      if constexpr (Loop::joints) {
        joint_squares[i] += error * error;
        joint_largest[i] = larger(joint_largest[i], size);
        joint_end[i] = size;
        joint_peak[i] = larger(joint_peak[i], pull);
        joint_distance[i] = smaller(joint_distance[i], distance);
        joint_unsettled[i] = select(size > band[i], index, joint_unsettled[i]);
        joint_overshoot[i] = larger(joint_overshoot[i], (q[i] - number[P::goal + i]) * per_move[i]);
      }
    }
    if constexpr (Loop::tool) {
      T R[9], x[3], turn(0), squares(0);
      Loop::template tool_pose<T>(q, R, x);
      ARMATURE_UNROLL
      for (int i = 0; i < 9; ++i) turn += R[i] * T(wanted[C::R + i]);
      ARMATURE_UNROLL
      for (int i = 0; i < 3; ++i) squares += (T(wanted[C::x + i]) - x[i]) * (T(wanted[C::x + i]) - x[i]);
      tool_squares += squares;
      tool_end = sqrt(squares);
      tool_largest = larger(tool_largest, tool_end);
      // half the angle between two orientations has the cosine sqrt(1 + tr(R' R_r))/2
      const T cosine = T(0.5) * sqrt(larger(T(1) + turn, T(0)));
      const T angle = T(2) * acos(smaller(cosine, T(1)));
      turn_squares += angle * angle;
      turn_largest = larger(turn_largest, angle);
    }
    if constexpr (Loop::balance) {
      T now;
      Loop::template energy<T>(q, qd, number + P::parameters, &now);
      if (index_is_first(index)) {
        T zero[n], rest;
        ARMATURE_UNROLL
        for (int i = 0; i < n; ++i) zero[i] = T(0);
        Loop::template energy<T>(zero, zero, number + P::parameters, &rest);
        from_zero = number[P::stored] - rest;
        at_start = now + from_zero;
      }
      now += from_zero;
      const T gained = supplied - dissipated, error = magnitude(at_start + gained - now);
      off = larger(off, error);
      most_stored = larger(most_stored, magnitude(now));
      const T change = larger(larger(magnitude(supplied - last_given), magnitude(dissipated - last_taken)),
                              index_is_first(index) ? T(0) : magnitude(now - last_stored));
      work += change;
      last_given = supplied;
      last_taken = dissipated;
      last_stored = now;
    }
  }
  static ARMATURE_DEVICE bool index_is_first(T index) { return everywhere(index <= T(0)); }

  ARMATURE_FLAT void give(T diverged, T supplied, T dissipated, T* figure) const {
    figure[F::ended] = diverged;
    if constexpr (Loop::balance)
      figure[F::ended] =
          select(diverged > T(0), diverged, select(off <= larger(T(1e-3) * work, T(1e-7) * most_stored), T(0), T(2)));
    figure[F::tool_squares] = tool_squares;
    figure[F::tool_largest] = tool_largest;
    figure[F::tool_end] = tool_end;
    figure[F::turn_squares] = turn_squares;
    figure[F::turn_largest] = turn_largest;
    figure[F::unsettled] = unsettled;
    figure[F::overshoot] = overshoot;
    figure[F::peak] = peak;
    figure[F::supplied] = supplied;
    figure[F::dissipated] = dissipated;
    figure[F::margin] = margin;
    figure[F::speed_share] = speed_share;
    figure[F::torque_share] = torque_share;
    figure[F::error_squares] = error_squares;
    figure[F::error_largest] = error_largest;
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      figure[F::torque_squares + i] = torque_squares[i];
      figure[F::saturated + i] = saturated[i];
      if constexpr (Loop::joints) {
        figure[F::joint_squares + i] = joint_squares[i];
        figure[F::joint_largest + i] = joint_largest[i];
        figure[F::joint_end + i] = joint_end[i];
        figure[F::joint_unsettled + i] = joint_unsettled[i];
        figure[F::joint_overshoot + i] = joint_overshoot[i];
        figure[F::joint_distance + i] = joint_distance[i];
        figure[F::joint_peak + i] = joint_peak[i];
      }
    }
  }
};

/// One run to its end, or as many as T has lanes. `table` holds a row of the reference for every tick, `seed` one number a lane.
template <class Loop, class T>
ARMATURE_FLAT void roll(const Clock<typename Number<T>::Scalar>& clock, const T* number, const uint64_t* seed,
                        const typename Number<T>::Scalar* table, T* figure) {
  using P = Place<Loop>;
  constexpr int n = Loop::n;
  Sequence<T> noise(seed);
  Keeper<Loop, T> keeper(number);
  T q[n], qd[n], last[n], supplied(0), dissipated(0);
  typename Number<T>::Mask diverged = Number<T>::nowhere;
  const T tick(clock.tick), h(clock.step);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    q[i] = number[P::q + i];
    qd[i] = number[P::qd + i];
    last[i] = T(0);
  }
  for (int k = 0;; ++k) {
    const typename Number<T>::Scalar* wanted = table + Column<Loop>::count * k;
    T q_seen[n], qd_seen[n], asked[n], command[n], held[n];
    measure<Loop>(number, noise, q, qd, tick, k == 0, last, q_seen, qd_seen);
    control<Loop>(number, wanted, q_seen, qd_seen, asked);
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      command[i] = asked[i];
      if constexpr (Loop::converter) {
        const T range = number[P::command_range], size = number[P::command_step];
        command[i] = size * rounded(smaller(larger(asked[i], -range), range) / size);
      }
      held[i] = smaller(larger(command[i], -number[P::limit + i]), number[P::limit + i]);
    }
    if (k % clock.every == 0)
      keeper.sample(number, wanted, T(k / clock.every), q, qd, asked, command, held, supplied, dissipated);
    if (k == clock.ticks) break;
    for (int step = 0; step < clock.steps; ++step) advance<Loop>(number, h, q, qd, held, supplied, dissipated);
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      diverged |= beyond(magnitude(q[i]), T(diverged_distance));
      diverged |= beyond(magnitude(qd[i]), T(diverged_speed));
    }
    if (everywhere(diverged)) break;
  }
  keeper.give(select(diverged, T(1), T(0)), supplied, dissipated, figure);
}

// --- Many runs ---

/// A number of a run, or those of as many runs as T has lanes.
template <class T>
struct Runs {
  ARMATURE_DEVICE static T load(const T* x) { return *x; }
  ARMATURE_DEVICE static void store(T x, T* y) { *y = x; }
};
#if defined(__GNUC__) && !defined(__CUDACC__) && defined(ARMATURE_LANES)
template <>
struct Runs<Lanes> {
  static Lanes load(const double* x) {
    Lanes y;
    __builtin_memcpy(&y, x, sizeof y);
    return y;
  }
  static void store(Lanes x, double* y) { __builtin_memcpy(y, &x, sizeof x); }
};
#endif

/// What the runs of a loop have in common, in kernels a constant.
template <class Loop, class S>
struct Common {
  Clock<S> clock;
  S number[Place<Loop>::count];
};

/// Runs k, k + 1, ... as many as T has lanes: `varied` and `figures` hold a number of all runs, `stride` of them, after the other.
template <class Loop, class T>
ARMATURE_FLAT void roll_at(const Common<Loop, typename Number<T>::Scalar>& common,
                           const typename Number<T>::Scalar* table, const typename Number<T>::Scalar* varied,
                           const uint64_t* seeds, long stride, long k, typename Number<T>::Scalar* figures) {
  T number[Place<Loop>::count], figure[Figure<Loop>::count];
  Loop::template fill<T>(common.number, varied + k, stride, number);
  roll<Loop, T>(common.clock, number, seeds + k, table, figure);
  ARMATURE_UNROLL
  for (int j = 0; j < Figure<Loop>::count; ++j) Runs<T>::store(figure[j], figures + j * stride + k);
}

/// The clock is tick, step, ticks, steps in a tick and ticks between samples.
template <class Loop, class S>
inline Common<Loop, S> common_of(const double* clock, const double* numbers) {
  Common<Loop, S> common;
  common.clock = {S(clock[0]), S(clock[1]), int(clock[2]), int(clock[3]), int(clock[4])};
  for (int j = 0; j < Place<Loop>::count; ++j) common.number[j] = S(numbers[j]);
  return common;
}

#ifdef __CUDACC__
template <class Loop, class S>
__global__ void __launch_bounds__(128,
                                  sizeof(S) == 4 ? 4 : 1)  // blocks of a multiprocessor: fewer keep more in registers
    kernel(const __grid_constant__ Common<Loop, S> common, const S* __restrict__ table, const S* __restrict__ varied,
           const uint64_t* __restrict__ seeds, long count, S* __restrict__ figures) {
  const long k = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (k < count) roll_at<Loop, S>(common, table, varied, seeds, count, k, figures);
}

/// Memory of the graphics processor that is kept from call to call.
struct Buffer {
  void* memory = nullptr;
  size_t size = 0;
  cudaError_t need(size_t bytes) {
    if (bytes <= size) return cudaSuccess;
    cudaFree(memory);
    memory = nullptr;
    size = 0;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaSuccess) size = bytes;
    return status;
  }
};

/// `count` runs on the graphics processor, all arrays on this side; null, or what went wrong.
template <class Loop, class S>
inline const char* run(const double* clock, const double* numbers, const S* table, const S* varied, int varied_count,
                       const uint64_t* seeds, long count, S* figures) {
  static Buffer buffers[4];
  const Common<Loop, S> common = common_of<Loop, S>(clock, numbers);
  const size_t rows = size_t(common.clock.ticks) + 1;
  const size_t sizes[4] = {sizeof(S) * rows * Column<Loop>::count, sizeof(S) * size_t(varied_count) * count + 1,
                           8 * size_t(count), sizeof(S) * Figure<Loop>::count * size_t(count)};
  const void* from[3] = {table, varied, seeds};
  cudaError_t status = cudaSuccess;
  for (int i = 0; i < 4 && status == cudaSuccess; ++i) status = buffers[i].need(sizes[i]);
  for (int i = 0; i < 3 && status == cudaSuccess; ++i)
    if (from[i] && sizes[i] > 1)
      status = cudaMemcpy(buffers[i].memory, from[i], i == 1 ? sizes[i] - 1 : sizes[i], cudaMemcpyHostToDevice);
  if (status == cudaSuccess) {
    kernel<Loop, S><<<unsigned((count + 127) / 128), 128>>>(
        common, static_cast<const S*>(buffers[0].memory), static_cast<const S*>(buffers[1].memory),
        static_cast<const uint64_t*>(buffers[2].memory), count, static_cast<S*>(buffers[3].memory));
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) status = cudaMemcpy(figures, buffers[3].memory, sizes[3], cudaMemcpyDeviceToHost);
  return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}
#else
/// The same here. `count` is a multiple of the lanes.
template <class Loop, class T>
inline const char* run(const double* clock, const double* numbers, const typename Number<T>::Scalar* table,
                       const typename Number<T>::Scalar* varied, int, const uint64_t* seeds, long count,
                       typename Number<T>::Scalar* figures) {
  const Common<Loop, typename Number<T>::Scalar> common = common_of<Loop, typename Number<T>::Scalar>(clock, numbers);
  for (long k = 0; k + Number<T>::lanes <= count; k += Number<T>::lanes)
    roll_at<Loop, T>(common, table, varied, seeds, count, k, figures);
  return nullptr;
}
#endif

}  // namespace armature_rollout
