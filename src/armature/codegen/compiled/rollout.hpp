// A closed loop of a rigid arm with its state in registers: plain C++ that nvcc compiles for a graphics processor as well. It
// computes what simulation/loop.hpp computes with a fixed step, and keeps figures instead of a log. With rollout_layout.hpp and
// rollout_numbers.hpp it includes nothing of this library, so that it can travel beside generated functions.
//
// A loop is a class of constants and functions. Texts that are compiled have them as constants of the class
// (campaign/kernel_runs.cpp and codegen/compiled/rollout_text.cpp write them), the library itself as members (campaign/lockstep.cpp):
//
//   struct Loop : NoFunctions {
//     static constexpr int n = 7, bends = 1, parameters = 0;                     // joints; terms of friction; of the dynamics
//     static constexpr int most = 7, most_noise = 14, most_numbers = 200, most_figures = 30;  // room for so many joints, ...
//     static constexpr Step step = Step::rk4;
//     static constexpr bool pd, gravity, computed_torque, table_torque, cartesian;  // the law is their sum
//     static constexpr bool position_noise, speed_noise, encoder, difference;    // sensors
//     static constexpr bool humps;                                               // and is largest near standstill
//     static constexpr bool leans;                                               // friction grows otherwise to either side
//     static constexpr bool converter;                                           // of the torques, to so many bits
//     static constexpr bool tool, moves, limits, efforts, power, balance, joints, stops, states;  // figures that are kept
//     forward_dynamics(q, qd, tau, p, qdd), tool_pose(q, R, x) and those of NoFunctions that it calls
//     // the numbers of a run, from those that all share and those that vary
//     template <class T, class S> ARMATURE_DEVICE static void fill(const S* common, const S* varied, long stride, T* number);
//   };
#pragma once

#include "armature/codegen/compiled/rollout_numbers.hpp"

namespace armature_rollout {

/// Functions that a loop without the law or the figure for them does not call.
struct NoFunctions {
  template <class T>
  ARMATURE_DEVICE static void energy(const T*, const T*, const T*, T*) {}
  template <class T>
  ARMATURE_DEVICE static void gravity_torque(const T*, T*) {}  // believed
  template <class T>
  ARMATURE_DEVICE static void inverse_dynamics(const T*, const T*, const T*, T*) {}
  template <class T>
  ARMATURE_DEVICE static void believed_pose(const T*, T*, T*) {}
  template <class T>
  ARMATURE_DEVICE static void jacobian(const T*, T*) {}
};

constexpr double diverged_distance = 1e5, diverged_speed = 1e4;  // as in simulation/loop.hpp

/// Accelerations under held torques, and the power that friction takes.
template <class Loop, class T>
ARMATURE_DEVICE inline void accelerations(const Loop& loop, const T* number, const T* q, const T* qd, const T* held,
                                          T* qdd, T& lost) {
  const Layout at = layout_of(loop);
  T tau[Loop::most];
  lost = T(0);
  ARMATURE_UNROLL
  for (int i = 0; i < loop.n; ++i) {
    T rubbing = number[at.offset() + i] + number[at.viscous() + i] * qd[i];
    ARMATURE_UNROLL
    for (int k = 0; k < loop.bends; ++k) {
      T height = number[at.bend() + k * loop.n + i];
      if (loop.leans)
        if (k == 0) height += number[at.lean() + i] * qd[i];
      if (loop.humps)
        if (k == 0) {
          const T ratio = qd[i] * number[at.narrow() + i];
          height += number[at.hump() + i] * exp(-(ratio * ratio));
        }
      rubbing += height * smooth_sign(qd[i] * number[at.steep() + k * loop.n + i]);
    }
    tau[i] = held[i] - rubbing;
    if (loop.power) lost += rubbing * qd[i];
  }
  loop.forward_dynamics(q, qd, tau, number + at.parameters(), qdd);
}

template <class T>
ARMATURE_DEVICE inline T dot(int n, const T* a, const T* b) {
  T sum(0);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// One step of length h; energies are integrated beside the state.
template <class Loop, class T>
ARMATURE_FLAT void advance(const Loop& loop, const T* number, T h, T* q, T* qd, const T* held, T& supplied,
                           T& dissipated) {
  const int n = loop.n;
  T a[Loop::most], lost;
  accelerations(loop, number, q, qd, held, a, lost);
  if (loop.step == Step::rk4 || loop.step == Step::heun) {
    const int stages = loop.step == Step::rk4 ? 4 : 2;
    T q0[Loop::most], v0[Loop::most], q_sum[Loop::most], v_sum[Loop::most], given(0), taken(0);
    if (loop.power) {
      given = dot(n, held, qd);
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
      accelerations(loop, number, q, qd, held, a, lost);
      if (loop.power) {
        given += weight * dot(n, held, qd);
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
    if (loop.power) {
      supplied += h * dot(n, held, qd);
      dissipated += h * lost;
    }
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      const T v = qd[i];
      qd[i] += h * a[i];
      q[i] += h * (loop.step == Step::semi_implicit_euler ? qd[i] : v);
    }
  }
}

/// What the sensors show; `last` is the reading before.
template <class Loop, class T>
ARMATURE_FLAT void measure(const Loop& loop, const T* number, Sequence<T>& noise, const T* q, const T* qd, T tick,
                           bool first, T* last, T* q_seen, T* qd_seen) {
  const Layout at = layout_of(loop);
  const int n = loop.n, each = (loop.position_noise ? 1 : 0) + (loop.speed_noise ? 1 : 0);
  T z[Loop::most_noise];
  const T per_encoder = loop.encoder ? reciprocal(number[at.encoder()]) : T(0);
  if (each > 0) noise.normal(n * each, z);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    q_seen[i] = q[i];
    qd_seen[i] = qd[i];
    if (loop.position_noise) q_seen[i] += number[at.position_noise()] * z[each * i];
    if (loop.encoder) q_seen[i] = number[at.encoder()] * rounded(q_seen[i] * per_encoder);
    if (loop.speed_noise) qd_seen[i] += number[at.speed_noise()] * z[each * i + each - 1];
    if (loop.difference) {
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
ARMATURE_FLAT void impedance(const Loop& loop, const T* number, const typename Number<T>::Scalar* wanted, const T* q,
                             const T* qd, T* tau) {
  const Layout at = layout_of(loop);
  const int n = loop.n;
  T R[9], x[3], J[6 * Loop::most], goal[9];
  loop.believed_pose(q, R, x);
  loop.jacobian(q, J);
  for (int i = 0; i < 9; ++i) goal[i] = T(wanted[at.row_R() + i]);
  // A = Rᵀ R_r has the quaternion (eta, epsilon)
  T A[9], trace(1);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[3 * i + j] = R[i] * goal[j] + R[3 + i] * goal[3 + j] + R[6 + i] * goal[6 + j];
  trace = trace + A[0] + A[4] + A[8];
  const T eta = T(0.5) * sqrt(larger(trace, T(1e-6))), over = T(0.25) / eta;
  const T epsilon[3] = {(A[7] - A[5]) * over, (A[2] - A[6]) * over, (A[3] - A[1]) * over};
  T away[3], error[3], V[6], slow[3], spin[3], rate[3], turn[3], zero(0);
  for (int i = 0; i < 3; ++i) away[i] = x[i] - T(wanted[at.row_x() + i]);
  turned_back(R, away, error);
  for (int i = 0; i < 6; ++i) {
    V[i] = zero - T(wanted[at.row_twist() + i]);
    for (int j = 0; j < n; ++j) V[i] += J[n * i + j] * qd[j];
  }
  // error' = v - v_r + error x w in the tool's axes: the turning of the axes counts in full, that of the target does not
  T own[3];
  for (int i = 0; i < 3; ++i) own[i] = V[3 + i] + T(wanted[at.row_twist() + 3 + i]);
  turned_back(R, V, slow);
  turned_back(R, own, spin);
  for (int i = 0; i < 3; ++i) rate[i] = slow[i];
  add_cross(error, spin, rate);
  turned_back(R, V + 3, spin);
  for (int i = 0; i < 3; ++i) turn[i] = eta * spin[i];
  add_cross(spin, epsilon, turn);
  T f[3], m[3], force[3], moment[3], back[3];
  for (int i = 0; i < 3; ++i) {
    f[i] = number[at.task_kp() + i] * error[i] + number[at.task_kd() + i] * rate[i];
    m[i] = number[at.task_kd() + 3 + i] * turn[i] - T(2) * number[at.task_kp() + 3 + i] * epsilon[i];
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
ARMATURE_FLAT void control(const Loop& loop, const T* number, const typename Number<T>::Scalar* wanted, const T* q,
                           const T* qd, T* tau) {
  const Layout at = layout_of(loop);
  const int n = loop.n;
  T pull[Loop::most];
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    pull[i] = T(0);
    if (loop.pd || loop.computed_torque)
      pull[i] = number[at.kp() + i] * (T(wanted[at.row_q() + i]) - q[i]) +
                number[at.kd() + i] * (T(wanted[at.row_qd() + i]) - qd[i]);
    if (loop.computed_torque) pull[i] += T(wanted[at.row_qdd() + i]);
  }
  if (loop.cartesian) impedance(loop, number, wanted, q, qd, pull);
  if (loop.computed_torque) loop.inverse_dynamics(q, qd, pull, tau);
  if (loop.gravity) loop.gravity_torque(q, tau);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    if (!loop.computed_torque) tau[i] = loop.gravity ? pull[i] + tau[i] : pull[i];
    if (loop.table_torque) tau[i] += T(wanted[at.row_torque() + i]);
  }
}

/// What is kept of a run while it lasts.
template <class Loop, class T>
struct Keeper {
  static constexpr int most = Loop::most;
  T tool_squares, tool_largest, tool_end, turn_squares, turn_largest;
  T unsettled, overshoot, peak, margin, speed_share, torque_share, error_squares, error_largest, stops;
  T torque_squares[most], saturated[most];
  T band[most], per_move[most];
  T joint_squares[most], joint_largest[most], joint_end[most], joint_unsettled[most], joint_overshoot[most],
      joint_distance[most], joint_peak[most];
  T from_zero, at_start, work, most_stored, off, last_given, last_taken, last_stored;

  ARMATURE_FLAT Keeper(const Loop& loop, const T* number) {
    const Layout at = layout_of(loop);
    const int n = loop.n;
    const T zero(0);
    tool_squares = tool_largest = tool_end = turn_squares = turn_largest = zero;
    overshoot = peak = speed_share = torque_share = error_squares = error_largest = zero;
    unsettled = T(-1);
    margin = stops = T(1e300);
    from_zero = at_start = work = most_stored = off = last_given = last_taken = last_stored = zero;
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      torque_squares[i] = saturated[i] = zero;
      if (loop.moves) {
        // a joint that goes one way to its goal, as run/comparison.cpp sees it
        const T move = number[at.goal() + i] - number[at.q() + i], size = magnitude(move);
        const T up = select(move > zero, number[at.rise() + i], -number[at.fall() + i]);
        const T down = select(move > zero, number[at.fall() + i], -number[at.rise() + i]);
        const T straight = select(size > T(1e-9), T(1), zero) * select(up <= T(0.05) * size, T(1), zero) *
                           select(down >= T(-1.05) * size, T(1), zero);
        per_move[i] = select(straight > zero, T(1) / select(size > zero, move, T(1)), zero);
        const T rests = straight * select(number[at.last_step() + i] <= T(1e-6) * size, T(1), zero);
        band[i] = select(rests > zero, T(0.02) * size, T(1e300));
      }
      if (loop.joints) {
        joint_squares[i] = joint_largest[i] = joint_end[i] = joint_overshoot[i] = joint_peak[i] = zero;
        joint_unsettled[i] = T(-1);
        joint_distance[i] = T(1e300);
      }
    }
  }

  ARMATURE_FLAT void sample(const Loop& loop, const T* number, const typename Number<T>::Scalar* wanted, T index,
                            const T* q, const T* qd, const T* asked, const T* command, const T* held, T supplied,
                            T dissipated) {
    const Layout at = layout_of(loop);
    const int n = loop.n;
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      const T error = T(wanted[at.row_q() + i]) - q[i], size = magnitude(error), pull = magnitude(asked[i]);
      error_squares += error * error;
      error_largest = larger(error_largest, size);
      peak = larger(peak, pull);
      if (loop.efforts) torque_squares[i] += asked[i] * asked[i];
      saturated[i] += select(magnitude(command[i]) >= T(1 - 1e-9) * number[at.limit() + i], T(1), T(0));
      const T distance = smaller(q[i] - number[at.lower() + i], number[at.upper() + i] - q[i]);
      if (loop.limits) {
        const T share = number[at.per_half_range() + i];
        speed_share = larger(speed_share, magnitude(qd[i]) * number[at.per_speed() + i]);
        torque_share = larger(torque_share, magnitude(held[i]) * number[at.per_torque() + i]);
        margin = smaller(margin, select(share > T(0), distance * share, T(1e300)));
      }
      if (loop.moves) {
        unsettled = select(size > band[i], index, unsettled);
        overshoot = larger(overshoot, (q[i] - number[at.goal() + i]) * per_move[i]);
      }
      if (loop.joints) {
        joint_squares[i] += error * error;
        joint_largest[i] = larger(joint_largest[i], size);
        joint_end[i] = size;
        joint_peak[i] = larger(joint_peak[i], pull);
        joint_distance[i] = smaller(joint_distance[i], distance);
        joint_unsettled[i] = select(size > band[i], index, joint_unsettled[i]);
        joint_overshoot[i] = larger(joint_overshoot[i], (q[i] - number[at.goal() + i]) * per_move[i]);
      }
    }
    if (loop.tool) {
      T R[9], x[3], turn(0), squares(0);
      loop.tool_pose(q, R, x);
      ARMATURE_UNROLL
      for (int i = 0; i < 9; ++i) turn += R[i] * T(wanted[at.row_R() + i]);
      ARMATURE_UNROLL
      for (int i = 0; i < 3; ++i) squares += (T(wanted[at.row_x() + i]) - x[i]) * (T(wanted[at.row_x() + i]) - x[i]);
      tool_squares += squares;
      tool_end = sqrt(squares);
      tool_largest = larger(tool_largest, tool_end);
      // half the angle between two orientations has the cosine sqrt(1 + tr(R' R_r))/2
      const T cosine = T(0.5) * sqrt(larger(T(1) + turn, T(0)));
      const T angle = T(2) * acos(smaller(cosine, T(1)));
      turn_squares += angle * angle;
      turn_largest = larger(turn_largest, angle);
    }
    if (loop.balance) {
      T now;
      loop.energy(q, qd, number + at.parameters(), &now);
      if (index_is_first(index)) {
        T zero[most], rest;
        ARMATURE_UNROLL
        for (int i = 0; i < n; ++i) zero[i] = T(0);
        loop.energy(zero, zero, number + at.parameters(), &rest);
        from_zero = number[at.stored()] - rest;
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
  /// At every tick: where the cubic between two of them turns back it is no further out than this allows for.
  ARMATURE_FLAT void look(const Loop& loop, const T* number, const T* q, const T* qd, T tick) {
    const Layout at = layout_of(loop);
    ARMATURE_UNROLL
    for (int i = 0; i < loop.n; ++i) {
      const T distance = smaller(q[i] - number[at.lower() + i], number[at.upper() + i] - q[i]);
      stops = smaller(stops, distance - magnitude(qd[i]) * tick);
    }
  }

  static ARMATURE_DEVICE bool index_is_first(T index) { return everywhere(index <= T(0)); }

  ARMATURE_FLAT void give(const Loop& loop, T diverged, T supplied, T dissipated, T* figure) const {
    const Layout at = layout_of(loop);
    const int n = loop.n;
    figure[Layout::ended] = diverged;
    if (loop.balance)
      figure[Layout::ended] =
          select(diverged > T(0), diverged, select(off <= larger(T(1e-3) * work, T(1e-7) * most_stored), T(0), T(2)));
    figure[Layout::tool_squares] = tool_squares;
    figure[Layout::tool_largest] = tool_largest;
    figure[Layout::tool_end] = tool_end;
    figure[Layout::turn_squares] = turn_squares;
    figure[Layout::turn_largest] = turn_largest;
    figure[Layout::unsettled] = unsettled;
    figure[Layout::overshoot] = overshoot;
    figure[Layout::peak] = peak;
    figure[Layout::supplied] = supplied;
    figure[Layout::dissipated] = dissipated;
    figure[Layout::margin] = margin;
    figure[Layout::speed_share] = speed_share;
    figure[Layout::torque_share] = torque_share;
    figure[Layout::error_squares] = error_squares;
    figure[Layout::error_largest] = error_largest;
    figure[Layout::stops] = stops;
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      figure[Layout::torque_squares + i] = torque_squares[i];
      figure[at.saturated() + i] = saturated[i];
      if (loop.joints) {
        figure[at.own(Layout::squares) + i] = joint_squares[i];
        figure[at.own(Layout::largest) + i] = joint_largest[i];
        figure[at.own(Layout::end) + i] = joint_end[i];
        figure[at.own(Layout::own_unsettled) + i] = joint_unsettled[i];
        figure[at.own(Layout::own_overshoot) + i] = joint_overshoot[i];
        figure[at.own(Layout::distance) + i] = joint_distance[i];
        figure[at.own(Layout::own_peak) + i] = joint_peak[i];
      }
    }
  }
};

/// One run to its end, or as many as T has lanes. `table` holds a row of the reference for every tick, `seed` one number a lane.
template <class Loop, class T>
ARMATURE_FLAT void roll(const Loop& loop, const Clock<typename Number<T>::Scalar>& clock, const T* number,
                        const uint64_t* seed, const typename Number<T>::Scalar* table, T* figure) {
  const Layout at = layout_of(loop);
  const int n = loop.n;
  Sequence<T> noise(seed);
  Keeper<Loop, T> keeper(loop, number);
  T q[Loop::most], qd[Loop::most], last[Loop::most], supplied(0), dissipated(0);
  typename Number<T>::Mask diverged = Number<T>::nowhere;
  const T tick(clock.tick), h(clock.step);
  ARMATURE_UNROLL
  for (int i = 0; i < n; ++i) {
    q[i] = number[at.q() + i];
    qd[i] = number[at.qd() + i];
    last[i] = T(0);
  }
  for (int k = 0;; ++k) {
    const typename Number<T>::Scalar* wanted = table + at.columns() * k;
    T q_seen[Loop::most], qd_seen[Loop::most], asked[Loop::most], command[Loop::most], held[Loop::most];
    measure(loop, number, noise, q, qd, tick, k == 0, last, q_seen, qd_seen);
    control(loop, number, wanted, q_seen, qd_seen, asked);
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      command[i] = asked[i];
      if (loop.converter) {
        const T range = number[at.command_range()], size = number[at.command_step()];
        command[i] = size * rounded(smaller(larger(asked[i], -range), range) / size);
      }
      held[i] = smaller(larger(command[i], -number[at.limit() + i]), number[at.limit() + i]);
    }
    if (loop.stops) keeper.look(loop, number, q, qd, tick);
    if (k % clock.every == 0)
      keeper.sample(loop, number, wanted, T(k / clock.every), q, qd, asked, command, held, supplied, dissipated);
    if (k == clock.ticks) break;
    for (int step = 0; step < clock.steps; ++step) advance(loop, number, h, q, qd, held, supplied, dissipated);
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      diverged |= beyond(magnitude(q[i]), T(diverged_distance));
      diverged |= beyond(magnitude(qd[i]), T(diverged_speed));
    }
    if (everywhere(diverged)) break;
  }
  keeper.give(loop, select(diverged, T(1), T(0)), supplied, dissipated, figure);
  if (loop.states) {
    ARMATURE_UNROLL
    for (int i = 0; i < n; ++i) {
      figure[at.state() + i] = q[i];
      figure[at.state() + n + i] = qd[i];
    }
  }
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
  S number[Loop::most_numbers];
};

/// Runs k, k + 1, ... as many as T has lanes: `varied` and `figures` hold a number of all runs, `stride` of them, after the other.
template <class Loop, class T>
ARMATURE_FLAT void roll_at(const Loop& loop, const Common<Loop, typename Number<T>::Scalar>& common,
                           const typename Number<T>::Scalar* table, const typename Number<T>::Scalar* varied,
                           const uint64_t* seeds, long stride, long k, typename Number<T>::Scalar* figures) {
  T number[Loop::most_numbers], figure[Loop::most_figures];
  const int count = layout_of(loop).figures();
  loop.fill(common.number, varied + k, stride, number);
  roll(loop, common.clock, number, seeds + k, table, figure);
  ARMATURE_UNROLL
  for (int j = 0; j < count; ++j) Runs<T>::store(figure[j], figures + j * stride + k);
}

/// The clock is tick, step, ticks, steps in a tick and ticks between samples.
template <class Loop, class S>
inline Common<Loop, S> common_of(const Loop& loop, const double* clock, const double* numbers) {
  Common<Loop, S> common;
  common.clock = {S(clock[0]), S(clock[1]), int(clock[2]), int(clock[3]), int(clock[4])};
  for (int j = 0; j < layout_of(loop).parameters() + loop.parameters; ++j) common.number[j] = S(numbers[j]);
  return common;
}

#ifdef __CUDACC__
template <class Loop, class S>
__global__ void __launch_bounds__(128,
                                  sizeof(S) == 4 ? 4 : 1)  // blocks of a multiprocessor: fewer keep more in registers
    kernel(const __grid_constant__ Common<Loop, S> common, const S* __restrict__ table, const S* __restrict__ varied,
           const uint64_t* __restrict__ seeds, long count, S* __restrict__ figures) {
  const long k = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (k < count) roll_at<Loop, S>(Loop{}, common, table, varied, seeds, count, k, figures);
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
  const Layout layout = layout_of(Loop{});
  const Common<Loop, S> common = common_of<Loop, S>(Loop{}, clock, numbers);
  const size_t rows = size_t(common.clock.ticks) + 1;
  const size_t sizes[4] = {sizeof(S) * rows * size_t(layout.columns()), sizeof(S) * size_t(varied_count) * count + 1,
                           8 * size_t(count), sizeof(S) * layout.figures() * size_t(count)};
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
  const Loop loop{};
  const Common<Loop, typename Number<T>::Scalar> common =
      common_of<Loop, typename Number<T>::Scalar>(loop, clock, numbers);
  for (long k = 0; k + Number<T>::lanes <= count; k += Number<T>::lanes)
    roll_at<Loop, T>(loop, common, table, varied, seeds, count, k, figures);
  return nullptr;
}
#endif

}  // namespace armature_rollout
