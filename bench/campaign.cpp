#include "campaign.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "armature/campaign/kernel_text.hpp"
#include "armature/campaign/lockstep.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/core/threads.hpp"
#include "armature/testing/oracles/mujoco_motion.hpp"

namespace armature::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t baseline = 2000, many = 40000;  // runs
constexpr double asked = 4;                             // times as fast

constexpr const char* scenario =
    "scenario: bench\nrobot: rrr\nstart: {q: [0 deg, -45 deg, 90 deg]}\n"
    "sensors: {encoder: 1e-5, position_noise: 1e-5, speed_noise: 1e-3}\n"
    "reference: {kind: polynomial, from: [0 deg, -45 deg, 90 deg], to: [60 deg, 0 deg, 30 deg], duration: 0.8 s}\n"
    "controller: {kind: joint_pd, kp: [800, 800, 300], kd: [60, 60, 15]}\nrun: {duration: 1 s, tick: 1 ms, method: "
    "rk4}\n";
constexpr const char* campaign =
    "campaign: bench\nscenario: scenario.yaml\nseed: 7\nvary:\n  arm.payload.mass: {triangular: [0 kg, 1 kg, 4 kg]}\n"
    "  arm.joints.*.friction.viscous: {times: {log_normal: [1, 30 %]}}\n  start.q.0: {plus: {normal: [0 deg, 0.2 "
    "deg]}}\n"
    "plan: {runs: 1000000}\nrequire: {tool_largest: below 40 mm}\n";

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Steps of MuJoCo alone, without a controller, as many as the runs have: rrr, all cores.
double mujoco_seconds(const Arm& arm, int threads, std::uint64_t runs) {
  std::atomic<std::uint64_t> next = 0;
  return seconds_of([&] {
    on_threads(threads, [&] {
      testing::MujocoMotion motion(arm, 1e-3, true);
      const VecX<double> q = VecX<double>::Constant(arm.dof(), 0.3), still = VecX<double>::Zero(arm.dof());
      while (next++ < runs) {
        motion.start(q, still);
        for (int k = 0; k < 1000; ++k) motion.step();
      }
    });
  });
}

}  // namespace

int campaign_table() {
  std::string name = (fs::temp_directory_path() / "bench-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  std::ofstream(folder / "scenario.yaml") << scenario;
  std::ofstream(folder / "campaign.yaml") << campaign;
  const Campaign loaded = load_campaign((folder / "campaign.yaml").string(), {}, built_in_kernels());
  const CampaignRuns runs(loaded);
  const KernelRuns kernel(runs, motion_parameters);
  const std::string bytes =
      compile_shared_object(kernel_text(kernel), {.options = "-O3 -march=native -fno-math-errno -DARMATURE_LANES=8"});
  std::ofstream(folder / "kernel.so", std::ios::binary) << bytes;
  const SharedObject library((folder / "kernel.so").string());
  const auto function = reinterpret_cast<CompiledKernel>(library.find(kernel_function_name));
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));

  RunStore simulated((folder / "simulation.npy").string(), runs.columns());
  const double by_threads = baseline / seconds_of([&] { execute(runs, 0, baseline, simulated, {.threads = threads}); });
  const auto in_blocks = [&](const KernelRuns& loop, const KernelFunction& work, const char* file) {
    RunStore store((folder / file).string(), runs.columns());
    return many / seconds_of([&] {
             execute(runs, 0, many, store,
                     {.threads = threads, .block = 64, .rows = [&](std::uint64_t first, std::uint64_t count) {
                        return loop.rows(first, count, work, 1);
                      }});
           });
  };
  const KernelRuns by_recursion(runs, body_parameters);
  const double in_lockstep = in_blocks(by_recursion, lockstep(by_recursion), "lockstep.npy");
  const double compiled = in_blocks(kernel, function, "host.npy");
  const double by_mujoco = baseline / mujoco_seconds(loaded.scenario.arm, threads, baseline);
  fmt::print("| closed loops of rrr, 1 s at 1 kHz, rk4, {} threads | runs/s | |\n|---|---:|---:|\n", threads);
  fmt::print("| each run simulated (--device simulation) | {:.0f} | 1 |\n", by_threads);
  fmt::print("| eight in lockstep, the default | {:.0f} | {:.1f} (asked for {}) |\n", in_lockstep,
             in_lockstep / by_threads, asked);
  fmt::print("| eight in lockstep, compiled for this campaign (--device host) | {:.0f} | {:.1f} |\n", compiled,
             compiled / by_threads);
  fmt::print("| mj_step alone, rk4, no controller, friction or noise | {:.0f} | {:.1f} |\n", by_mujoco,
             by_mujoco / by_threads);
  fs::remove_all(folder);
  return in_lockstep < asked * by_threads ? 1 : 0;
}

}  // namespace armature::bench
