// A scenario as the closed loop of codegen/compiled/rollout.hpp: a text that all runs share, and numbers of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "armature/codegen/compiled/rollout_layout.hpp"
#include "armature/core/error.hpp"
#include "armature/run/run_scenario.hpp"

namespace armature::campaign {

/// Why a kernel cannot make a run that the simulation can: a sentence.
struct NotForKernels : Error {
  using Error::Error;
};

/// The numbers in an arm's equations of motion, with rotors of these inertias at its joints (codegen/compiled/rollout_text.hpp).
using MotionParameters = std::function<std::vector<double>(const Arm& arm, const VecX<double>& rotors)>;

/// Where the numbers and figures of a loop stand.
using KernelLayout = armature_rollout::Layout;

/// What a loop has to compute: the constants of rollout.hpp. Runs of one kernel have the same.
struct LoopKind {
  int n = 0, bends = 0;
  armature_rollout::Step step = armature_rollout::Step::rk4;
  bool pd = false, gravity = false, computed_torque = false, table_torque = false, cartesian = false;
  bool leans = false, humps = false;
  bool position_noise = false, speed_noise = false, encoder = false, difference = false, converter = false;
  bool balance = true, joints = false, stops = false, states = false;
  static constexpr bool tool = true, moves = true, limits = true, efforts = true, power = true;

  bool operator==(const LoopKind&) const = default;
};
/// Its members of the struct Loop, as text.
std::string constants_text(const LoopKind& kind);

/// One scenario in a kernel.
struct KernelLoop {
  LoopKind kind;
  KernelLayout layout;             // of that kind
  std::vector<double> numbers;     // up to the parameters
  std::vector<double> parameters;  // of the equations of motion, all
  std::uint64_t seed = 1;
  double tick = 0, step = 0;
  int ticks = 0, steps = 0, every = 1;
  bool automatic = false;  // the fixed step is ours: a run that it does not follow is simulated with another
};

/// The reference of every tick as rows, and what the figures need to know of it, joint by joint.
struct KernelTable {
  std::vector<double> rows;
  VecX<double> goal, rise, fall,
      last_step;       // its last sample, how far it goes above and below that, how far its last step is
  VecX<double> q, qd;  // where a run starts on it; empty where it starts elsewhere
};

/// Figures that a loop keeps where they are wanted.
struct KernelFigures {
  bool joints = false;  // of single joints
  bool states = false;  // where a run ends
};

/// The loop of a scenario. run.method: auto is a fixed step where the simulation begins with one. What depends on the reference is zero where there is no
/// table yet. Throws NotForKernels where there is no such loop.
KernelLoop kernel_loop(const LoadedScenario& loaded, const KernelFigures& wanted, const MotionParameters& parameters,
                       const KernelTable* table = nullptr);
KernelTable kernel_table(const LoadedScenario& loaded, const KernelLoop& loop);

}  // namespace armature::campaign
