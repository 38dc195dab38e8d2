#include "simulation.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "armature/core/random.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/testing/oracles/mujoco_motion.hpp"
#include "armature/testing/random_arms.hpp"
#include "vandeven1986/drive.hpp"

namespace armature::bench {

namespace vandeven1986 = studies::vandeven1986;

namespace {

constexpr double step = 1e-3;             // [s]
constexpr int steps_before_restart = 64;  // explicit methods do not keep the energy: no run gets far

struct Start {
  VecX<double> q, qd;
};
std::vector<Start> starts(int dof) {
  Random random(7);
  std::vector<Start> all(32);
  for (Start& s : all) s = {testing::random_vector(dof, random, 3), testing::random_vector(dof, random, 1)};
  return all;
}

/// `restart(start)` and `advance()` are called in turn, 1 : steps_before_restart.
void add(const std::string& name, int dof, std::function<void(const Start&)> restart, std::function<void()> advance) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [all = starts(dof), restart, advance](benchmark::State& timer) {
                                 std::size_t k = 0;
                                 while (timer.KeepRunningBatch(steps_before_restart)) {
                                   restart(all[k]);
                                   for (int i = 0; i < steps_before_restart; ++i) advance();
                                   if (++k == all.size()) k = 0;
                                 }
                               })
      ->MinTime(0.02)
      ->Repetitions(15);
}

/// Processor seconds of the fastest of five runs.
double seconds_of(const std::function<void()>& run) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    run();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

/// Two seconds of the study's two axes, there and back, with sticking and play.
void run_two_axes() {
  const Arm arm = catalogue_arm("asea2", built_in_kernels());
  studies::vandeven1986::DriveParameters p;
  p.Tf = 0.025;
  p.S = 0.02;
  const Plant plant(studies::vandeven1986::two_axes(arm.description(), 0.02));
  Integrator run(plant, {.relative = 1e-6, .absolute = 1e-8});
  std::vector<LogEvent> events;
  Eigen::VectorXd u(2);
  u << 10, -6;
  run.start(0, plant.state_at((VecX<double>(2) << 0, 0.5).finished(), VecX<double>::Zero(2)), u);
  for (int k = 1; k <= 200; ++k) {
    if (k == 100) run.set_input(-u);
    run.advance(0.01 * k, events);
  }
}

}  // namespace

void add_steps() {
  for (const char* name : {"rrr_generic", "ur5e", "panda"}) {
    const Arm arm = catalogue_arm(name, built_in_kernels());
    ComposeOptions free;
    free.drives = ComposeOptions::Drives::ideal;
    free.friction = false;
    free.torque_limits = false;
    const auto plant = std::make_shared<Plant>(compose(arm, free).plant);
    for (const Method method : {Method::euler, Method::rk4}) {
      const std::string quantity = fmt::format("one step, {}", method == Method::euler ? "Euler" : "Runge-Kutta 4");
      const auto run = std::make_shared<Integrator>(*plant, IntegratorSettings{.method = method, .step = step});
      const auto tick = std::make_shared<int>(0);
      add(
          fmt::format("{}/{}/Armature", quantity, name), arm.dof(),
          [plant, run, tick](const Start& s) {
            run->start(0, plant->state_at(s.q, s.qd), Eigen::VectorXd::Zero(plant->inputs()));
            *tick = 0;
          },
          [run, tick, events = std::make_shared<std::vector<LogEvent>>()] { run->advance(step * ++*tick, *events); });
      const auto mujoco = std::make_shared<testing::MujocoMotion>(arm, step, method == Method::rk4);
      add(
          fmt::format("{}/{}/MuJoCo", quantity, name), arm.dof(),
          [mujoco](const Start& s) { mujoco->start(s.q, s.qd); }, [mujoco] { mujoco->step(); });
    }
  }
}

int real_time_table() {
  int short_of = 0;
  fmt::print("| simulated machine | times real time | asked for |\n|---|---:|---:|\n");
  const auto row = [&](const char* machine, double factor, double asked) {
    fmt::print("| {} | {:.0f} | {:.0f} |\n", machine, factor, asked);
    short_of += factor < asked;
  };
  const LoadedScenario loop = scenario_from_text(
      "scenario: bench\nrobot: rrr\nstart: {q: [0 deg, -45 deg, 90 deg]}\nsensors: {encoder: 1e-5, speed: difference}\n"
      "reference: {kind: polynomial, to: [60 deg, 0 deg, 30 deg], order: 5, duration: 10 s}\n"
      "controller: {kind: joint_pd, kp: [800, 800, 300], kd: [60, 60, 15]}\nrun: {duration: 10 s, tick: 1 ms}\n",
      "bench", {}, built_in_kernels());
  row("RRR arm, closed loop at 1 kHz, friction, quantized encoder", 10 / seconds_of([&] { run_scenario(loop); }), 500);
  row("2-dof drive of vandeven1986: 18 states, stiff, stick and play", 2 / seconds_of(run_two_axes), 20);
  return short_of;
}

}  // namespace armature::bench
