// Where the numbers, figures and references of a closed loop (rollout.hpp) stand. Includes nothing else of this library either.
#pragma once

#include "armature/codegen/compiled/device_arrays.hpp"

namespace armature_rollout {

enum class Step { euler, semi_implicit_euler, heun, rk4 };

/// For loops of so many joints, sigmoids of friction and kinds of law.
struct Layout {
  int n = 0, bends = 0;
  bool computed_torque = false, table_torque = false, cartesian = false, joints = false, states = false;

  // The numbers of a run [SI], joint by joint: start, gains
  ARMATURE_DEVICE constexpr int q() const { return 0; }
  ARMATURE_DEVICE constexpr int qd() const { return n; }
  ARMATURE_DEVICE constexpr int kp() const { return 2 * n; }
  ARMATURE_DEVICE constexpr int kd() const { return 3 * n; }
  // friction: offset + viscous qd + sum of bend tanh(steep qd), the bends of all joints one after the other; the first is
  // bend + lean qd + hump exp(-(narrow qd)²)
  ARMATURE_DEVICE constexpr int viscous() const { return 4 * n; }
  ARMATURE_DEVICE constexpr int offset() const { return 5 * n; }
  ARMATURE_DEVICE constexpr int lean() const { return 6 * n; }
  ARMATURE_DEVICE constexpr int hump() const { return 7 * n; }
  ARMATURE_DEVICE constexpr int narrow() const { return 8 * n; }
  ARMATURE_DEVICE constexpr int bend() const { return 9 * n; }
  ARMATURE_DEVICE constexpr int steep() const { return bend() + bends * n; }
  // of the torques (1e300: none), of the joints (-1e300, 1e300: none), and one over the joints' limits (0: none)
  ARMATURE_DEVICE constexpr int limit() const { return steep() + bends * n; }
  ARMATURE_DEVICE constexpr int lower() const { return limit() + n; }
  ARMATURE_DEVICE constexpr int upper() const { return limit() + 2 * n; }
  ARMATURE_DEVICE constexpr int per_half_range() const { return limit() + 3 * n; }
  ARMATURE_DEVICE constexpr int per_speed() const { return limit() + 4 * n; }
  ARMATURE_DEVICE constexpr int per_torque() const { return limit() + 5 * n; }
  // last of the reference, how far it goes above and below it, and its last step
  ARMATURE_DEVICE constexpr int goal() const { return limit() + 6 * n; }
  ARMATURE_DEVICE constexpr int rise() const { return limit() + 7 * n; }
  ARMATURE_DEVICE constexpr int fall() const { return limit() + 8 * n; }
  ARMATURE_DEVICE constexpr int last_step() const { return limit() + 9 * n; }
  // resolution of the positions, standard deviations, the converter of the torques
  ARMATURE_DEVICE constexpr int encoder() const { return limit() + 10 * n; }
  ARMATURE_DEVICE constexpr int position_noise() const { return encoder() + 1; }
  ARMATURE_DEVICE constexpr int speed_noise() const { return encoder() + 2; }
  ARMATURE_DEVICE constexpr int command_range() const { return encoder() + 3; }
  ARMATURE_DEVICE constexpr int command_step() const { return encoder() + 4; }
  // energy at rest, all positions zero; gains along and about the tool's axes; then those of the equations of motion
  ARMATURE_DEVICE constexpr int stored() const { return encoder() + 5; }
  ARMATURE_DEVICE constexpr int task_kp() const { return encoder() + 6; }
  ARMATURE_DEVICE constexpr int task_kd() const { return encoder() + 12; }
  ARMATURE_DEVICE constexpr int parameters() const { return encoder() + 18; }

  /// The figures of a run when it is over; sums are over the samples. From `torque_squares` on joint by joint.
  enum Figures {
    ended,  // 1: it diverged; 2: the energy balance does not close
    tool_squares,
    tool_largest,
    tool_end,
    turn_squares,
    turn_largest,
    unsettled,  // last sample off its goal, of any joint
    overshoot,  // share of the move
    peak,       // largest torque asked for
    supplied,
    dissipated,
    margin,  // smallest distance of a joint from the ends of its range, over half of it
    speed_share,
    torque_share,
    error_squares,  // of all joints together
    error_largest,
    stops,  // smallest distance of a joint from the ends of its range, less what it moves in a tick
    torque_squares
  };
  enum Own { squares, largest, end, own_unsettled, own_overshoot, distance, own_peak, own_count };
  ARMATURE_DEVICE constexpr int saturated() const { return torque_squares + n; }
  ARMATURE_DEVICE constexpr int own(Own what) const { return torque_squares + (2 + what) * n; }
  // then where it ends: positions, speeds
  ARMATURE_DEVICE constexpr int state() const { return torque_squares + (joints ? 2 + own_count : 2) * n; }
  ARMATURE_DEVICE constexpr int figures() const { return state() + (states ? 2 * n : 0); }

  // Columns of a row of the reference's table.
  ARMATURE_DEVICE constexpr int row_q() const { return 0; }
  ARMATURE_DEVICE constexpr int row_qd() const { return n; }
  ARMATURE_DEVICE constexpr int row_qdd() const { return 2 * n; }
  ARMATURE_DEVICE constexpr int row_torque() const { return (computed_torque ? 3 : 2) * n; }
  ARMATURE_DEVICE constexpr int row_R() const { return row_torque() + (table_torque ? n : 0); }
  ARMATURE_DEVICE constexpr int row_x() const { return row_R() + 9; }
  ARMATURE_DEVICE constexpr int row_twist() const { return row_R() + 12; }  // of the tool
  ARMATURE_DEVICE constexpr int columns() const { return row_R() + (cartesian ? 18 : 12); }
};

/// Of a loop (rollout.hpp), or of what says the same of one.
template <class Loop>
ARMATURE_FLAT constexpr Layout layout_of(const Loop& loop) {
  return {loop.n, loop.bends, loop.computed_torque, loop.table_torque, loop.cartesian, loop.joints, loop.states};
}

/// What all runs share.
template <class S>
struct Clock {
  S tick, step;             // of the controller and of the integrator [s]
  int ticks, steps, every;  // of a run; steps of the integrator in a tick; ticks between samples
};

/// The same for rollouts on a device (device_rollout_work.hpp), with all else that they share, on this side of it.
struct Shared {
  const double *clock, *numbers;  // as run() of rollout.hpp takes them
  const double* line;             // straight lines from what is given to the numbers that vary
  const double *table, *rests;    // of the reference: a row a tick; Judged::rests
  unsigned long long seed;        // where no seeds are given
};

}  // namespace armature_rollout
