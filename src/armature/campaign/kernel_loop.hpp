// A scenario as the closed loop of codegen/compiled/rollout.hpp: a text that all runs share, and numbers of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/run/run_scenario.hpp"

namespace armature::campaign {

/// Why a kernel cannot make a run that the simulation can: a sentence.
struct NotForKernels : Error {
  using Error::Error;
};

/// The numbers in an arm's equations of motion, with rotors of these inertias at its joints (codegen/compiled/rollout_text.hpp).
using MotionParameters = std::function<std::vector<double>(const Arm& arm, const VecX<double>& rotors)>;

/// How figures and numbers are laid out: Place, Figure and Column of codegen/compiled/rollout.hpp, for loops of so many joints.
struct KernelLayout {
  int n = 0, bends = 0;
  bool computed_torque = false, table_torque = false, cartesian = false, joints = false;

  // numbers, joint by joint
  [[nodiscard]] int q() const { return 0; }
  [[nodiscard]] int qd() const { return n; }
  [[nodiscard]] int kp() const { return 2 * n; }
  [[nodiscard]] int kd() const { return 3 * n; }
  [[nodiscard]] int viscous() const { return 4 * n; }
  [[nodiscard]] int offset() const { return 5 * n; }
  [[nodiscard]] int lean() const { return 6 * n; }
  [[nodiscard]] int hump() const { return 7 * n; }
  [[nodiscard]] int narrow() const { return 8 * n; }
  [[nodiscard]] int bend() const { return 9 * n; }
  [[nodiscard]] int steep() const { return bend() + bends * n; }
  [[nodiscard]] int limit() const { return steep() + bends * n; }
  [[nodiscard]] int lower() const { return limit() + n; }
  [[nodiscard]] int upper() const { return limit() + 2 * n; }
  [[nodiscard]] int per_half_range() const { return limit() + 3 * n; }
  [[nodiscard]] int per_speed() const { return limit() + 4 * n; }
  [[nodiscard]] int per_torque() const { return limit() + 5 * n; }
  [[nodiscard]] int goal() const { return limit() + 6 * n; }
  [[nodiscard]] int rise() const { return limit() + 7 * n; }
  [[nodiscard]] int fall() const { return limit() + 8 * n; }
  [[nodiscard]] int last_step() const { return limit() + 9 * n; }
  [[nodiscard]] int encoder() const { return limit() + 10 * n; }
  [[nodiscard]] int position_noise() const { return encoder() + 1; }
  [[nodiscard]] int speed_noise() const { return encoder() + 2; }
  [[nodiscard]] int command_range() const { return encoder() + 3; }
  [[nodiscard]] int command_step() const { return encoder() + 4; }
  [[nodiscard]] int stored() const { return encoder() + 5; }
  [[nodiscard]] int task_kp() const { return encoder() + 6; }
  [[nodiscard]] int task_kd() const { return encoder() + 12; }
  [[nodiscard]] int parameters() const { return encoder() + 18; }
  // figures; from `torque_squares` on joint by joint
  enum Figures {
    ended,
    tool_squares,
    tool_largest,
    tool_end,
    turn_squares,
    turn_largest,
    unsettled,
    overshoot,
    peak,
    supplied,
    dissipated,
    margin,
    speed_share,
    torque_share,
    error_squares,
    error_largest,
    torque_squares
  };
  enum Own { squares, largest, end, own_unsettled, own_overshoot, distance, own_peak, own_count };
  [[nodiscard]] int saturated() const { return torque_squares + n; }
  [[nodiscard]] int own(Own what) const { return torque_squares + (2 + what) * n; }
  [[nodiscard]] int figures() const { return torque_squares + (joints ? 2 + own_count : 2) * n; }
  // columns of the reference's table: q, qd, then
  [[nodiscard]] int torque() const { return (computed_torque ? 3 : 2) * n; }
  [[nodiscard]] int turn() const { return torque() + (table_torque ? n : 0); }
  [[nodiscard]] int columns() const { return turn() + (cartesian ? 18 : 12); }
};

/// One scenario in a kernel.
struct KernelLoop {
  KernelLayout layout;
  std::string constants;           // of the struct Loop, as text: runs of one kernel have the same
  std::vector<double> numbers;     // up to the parameters
  std::vector<double> parameters;  // of the equations of motion, all
  std::uint64_t seed = 1;
  double tick = 0, step = 0;
  int ticks = 0, steps = 0, every = 1;
  bool gravity = false, balance = true;
};

/// The reference of every tick as rows, and what the figures need to know of it, joint by joint.
struct KernelTable {
  std::vector<double> rows;
  VecX<double> goal, rise, fall,
      last_step;       // its last sample, how far it goes above and below that, how far its last step is
  VecX<double> q, qd;  // where a run starts on it; empty where it starts elsewhere
};

/// The loop of a scenario; `joints`: figures of single joints are wanted. What depends on the reference is zero where there is no
/// table yet. Throws NotForKernels where there is no such loop.
KernelLoop kernel_loop(const LoadedScenario& loaded, bool joints, const MotionParameters& parameters,
                       const KernelTable* table = nullptr);
KernelTable kernel_table(const LoadedScenario& loaded, const KernelLoop& loop);

}  // namespace armature::campaign
