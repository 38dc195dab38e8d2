// A closed loop of a rigid arm with its state in registers: plain C++ that nvcc compiles for a graphics processor as well. It
// computes what simulation/loop.hpp computes with a fixed step, ideal drives and smoothed dry friction, and keeps figures
// instead of a log. It includes nothing of this library, so that it can travel beside generated functions.
//
//   struct Model {  // the functions that `armature derive --lang cuda` wrote for one arm
//     static constexpr int n = 7;
//     template <class T> ARMATURE_DEVICE static void forward_dynamics(const T* q, const T* qd, const T* tau, T* qdd);
//     template <class T> ARMATURE_DEVICE static void inverse_dynamics(const T* q, const T* qd, const T* qdd, T* tau);
//     template <class T> ARMATURE_DEVICE static void gravity(const T* q, T* tau);
//   };
#pragma once

#include <math.h>  // not <cmath>: the overloads for float stand in the global namespace, as they do under nvcc
#include <cstdint>

#ifdef __CUDACC__
#define ARMATURE_DEVICE __host__ __device__
#define ARMATURE_UNROLL _Pragma("unroll")
#else
#define ARMATURE_DEVICE
#define ARMATURE_UNROLL
#endif

namespace armature_rollout {

/// The generator of core/random.hpp. In double precision the numbers are the same, one by one.
struct Noise {
  std::uint64_t state;
  ARMATURE_DEVICE std::uint64_t bits() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  ARMATURE_DEVICE double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  // [0, 1)

  /// Standard normal numbers, by the polar method of Marsaglia. Pairs outside the circle are passed over for all n together:
  /// threads side by side wait for each other once, not n times.
  template <int n>
  ARMATURE_DEVICE void normal(double* z) {
    double square[n];
    for (int found = 0; found < n;) {
      const double u = -1 + 2 * uniform(), v = -1 + 2 * uniform(), s = u * u + v * v;
      if (s >= 1 || s == 0) continue;
      z[found] = u;
      square[found++] = s;
    }
    for (int i = 0; i < n; ++i) z[i] *= sqrt(-2 * log(square[i]) / square[i]);
  }
  /// In single precision two from each 64 bits, by the transform of Box and Muller: other numbers, the same distribution.
  template <int n>
  ARMATURE_DEVICE void normal(float* z) {
    ARMATURE_UNROLL
    for (int i = 0; i < n; i += 2) {
      const std::uint64_t b = bits();
      const float u = (static_cast<float>(static_cast<std::uint32_t>(b >> 32)) + 0.5F) * 0x1.0p-32F;
      const float angle = static_cast<float>(static_cast<std::uint32_t>(b)) * (6.2831853F * 0x1.0p-32F);
#ifdef __CUDA_ARCH__
      const float radius = sqrtf(-2 * __logf(u)), c = __cosf(angle), s = __sinf(angle);
#else
      const float radius = sqrtf(-2 * logf(u)), c = cosf(angle), s = sinf(angle);
#endif
      z[i] = radius * c;
      if (i + 1 < n) z[i + 1] = radius * s;
    }
  }
};

/// What all runs of a kernel share. Joint by joint [SI].
template <class T, int n>
struct Loop {
  T kp[n], kd[n];            // gains
  T coulomb[n], viscous[n];  // friction
  T per_width;               // one over the speed over which its sign changes
  T limit[n], per_limit[n];  // of the torques, magnitude, and one over it
  T encoder, per_encoder;    // resolution of the positions, and one over it; zero: exact
  T position_noise;          // standard deviation
  T tick;                    // [s]
  int ticks;
};

/// What is one run's own.
template <class T, int n>
struct Run {
  T q[n], qd[n];       // start
  T friction;          // share of the loop's friction
  std::uint64_t seed;  // of the sensors
};

/// What is known of a run when it is over.
template <class T>
struct Figures {
  T largest_error;  // of any joint at a tick [rad | m]
  T sum_squares;    // of the errors of all joints at all ticks
  T final_error;    // largest of any joint at the end
  T largest_share;  // of a torque limit that was asked for
  int saturated;    // ticks in which a motor gave less than it was asked for
};

enum class Law { joint_pd, pd_gravity, computed_torque };
enum class Step { euler, semi_implicit_euler, rk4 };

/// tanh x, good to rounding of its largest value, without branches.
template <class T>
ARMATURE_DEVICE inline T smooth_sign(T x) {
  return T(1) - T(2) / (exp(T(2) * x) + T(1));
}

template <class T, int n>
ARMATURE_DEVICE inline T rubbing(const Loop<T, n>& loop, T share, int i, T qd) {
  return share * (loop.coulomb[i] * smooth_sign(qd * loop.per_width) + loop.viscous[i] * qd);
}

/// Accelerations under held torques.
template <class Model, class T>
ARMATURE_DEVICE inline void accelerations(const Loop<T, Model::n>& loop, T share, const T* q, const T* qd,
                                          const T* held, T* qdd) {
  T tau[Model::n];
  ARMATURE_UNROLL
  for (int i = 0; i < Model::n; ++i) tau[i] = held[i] - rubbing(loop, share, i, qd[i]);
  Model::forward_dynamics(q, qd, tau, qdd);
}

template <Step step, class Model, class T>
ARMATURE_DEVICE inline void advance(const Loop<T, Model::n>& loop, T share, T* q, T* qd, const T* held) {
  constexpr int n = Model::n;
  const T h = loop.tick;
  T a[n];
  accelerations<Model>(loop, share, q, qd, held, a);
  if constexpr (step == Step::rk4) {
    T q0[n], v0[n], q_sum[n], v_sum[n], a_next[n];
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) q0[i] = q[i], v0[i] = qd[i], q_sum[i] = qd[i], v_sum[i] = a[i];
    for (int stage = 1; stage < 4; ++stage) {
      const T part = stage == 3 ? h : h / T(2);
      ARMATURE_UNROLL
      for (int i = 0; i < n; ++i) {
        q[i] = q0[i] + part * qd[i];
        qd[i] = v0[i] + part * a[i];
      }
      accelerations<Model>(loop, share, q, qd, held, a_next);
      const T weight = stage == 3 ? T(1) : T(2);
      ARMATURE_UNROLL
      for (int i = 0; i < n; ++i) a[i] = a_next[i], q_sum[i] += weight * qd[i], v_sum[i] += weight * a[i];
    }
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) q[i] = q0[i] + h / T(6) * q_sum[i], qd[i] = v0[i] + h / T(6) * v_sum[i];
  } else {
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      const T v = qd[i];
      qd[i] += h * a[i];
      q[i] += h * (step == Step::semi_implicit_euler ? qd[i] : v);
    }
  }
}

/// The torques of the law for what was measured; `wanted` is q, qd, qdd of the reference.
template <Law law, class Model, class T>
ARMATURE_DEVICE inline void control(const Loop<T, Model::n>& loop, const T* wanted, const T* q, const T* qd, T* tau) {
  constexpr int n = Model::n;
  T pull[n];
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) pull[i] = loop.kp[i] * (wanted[i] - q[i]) + loop.kd[i] * (wanted[n + i] - qd[i]);
  if constexpr (law == Law::computed_torque) {
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) pull[i] += wanted[2 * n + i];
    Model::inverse_dynamics(q, qd, pull, tau);
  } else {
    if constexpr (law == Law::pd_gravity) Model::gravity(q, tau);
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) tau[i] = pull[i] + (law == Law::pd_gravity ? tau[i] : T(0));
  }
}

/// One run to its end. `reference` holds q, qd and qdd of every tick, one after the other.
template <Law law, Step step, class Model, class T>
ARMATURE_DEVICE inline Figures<T> roll(const Loop<T, Model::n>& loop, Run<T, Model::n>& run, const T* reference) {
  constexpr int n = Model::n;
  Figures<T> figures{};
  Noise noise{run.seed};
  for (int k = 0;; ++k) {
    const T* wanted = reference + 3 * n * k;
    T worst = 0, seen[n] = {}, tau[n];
    if (loop.position_noise > T(0)) noise.normal<n>(seen);
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      const T error = wanted[i] - run.q[i];
      worst = fmax(worst, fabs(error));
      figures.sum_squares += error * error;
      seen[i] = run.q[i] + loop.position_noise * seen[i];
      if (loop.encoder > T(0)) seen[i] = loop.encoder * nearbyint(seen[i] * loop.per_encoder);
    }
    figures.largest_error = fmax(figures.largest_error, worst);
    figures.final_error = worst;
    if (k == loop.ticks) return figures;
    control<law, Model>(loop, wanted, seen, run.qd, tau);
    bool cut = false;
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      figures.largest_share = fmax(figures.largest_share, fabs(tau[i]) * loop.per_limit[i]);
      cut |= fabs(tau[i]) > loop.limit[i];
      tau[i] = fmin(fmax(tau[i], -loop.limit[i]), loop.limit[i]);
    }
    figures.saturated += cut;
    advance<step, Model>(loop, run.friction, run.q, run.qd, tau);
  }
}

}  // namespace armature_rollout
