#include "armature/codegen/rollout.hpp"

#include <fmt/format.h>

#include <vector>

#include "armature/run/run_scenario.hpp"
#include "armature/testing/doctest.hpp"

#define __host__
#define __device__
#include <rrr.cuh>

using namespace armature_rollout;

namespace {

struct Rrr {
  static constexpr int n = 3;
  template <class T>
  static void forward_dynamics(const T* q, const T* qd, const T* tau, T* qdd) {
    rrr_forward_dynamics(q, qd, tau, qdd);
  }
  template <class T>
  static void inverse_dynamics(const T* q, const T* qd, const T* qdd, T* tau) {
    rrr_inverse_dynamics(q, qd, qdd, tau);
  }
  template <class T>
  static void gravity(const T* q, T* tau) {
    rrr_gravity(q, tau);
  }
};

constexpr double coulomb = 1.5, viscous = 0.8, width = 0.02, limit = 25, noise = 1e-4, encoder = 2e-4;

/// The same loop as a scenario; the arm of the file with this friction and these limits.
armature::LoadedScenario scenario(const std::string& controller, const std::string& method) {
  armature::LoadedScenario s = armature::scenario_from_text(
      fmt::format(
          "scenario: rollout\nrobot: rrr\nreference: {{kind: polynomial, to: [1, -0.7, 0.9], duration: 0.8 s}}\n"
          "controller: {}\nplant: {{drives: ideal, smoothing: {}}}\nsensors: {{position_noise: {}, encoder: {}}}\n"
          "run: {{duration: 1 s, method: {}, accept_energy_error: true}}\nseed: 7\n",
          controller, width, noise, encoder, method),
      "rollout.yaml");
  armature::ArmDescription description = s.arm.description();
  for (armature::JointDescription& joint : description.joints) {
    joint.friction = armature::model::CoulombViscous{coulomb, viscous};
    joint.limits = {.lower = {}, .upper = {}, .velocity = {}, .acceleration = {}, .torque = limit, .source = {}};
  }
  s.arm = armature::Arm(description);
  return s;
}

std::vector<double> reference() {
  std::vector<double> table;
  const double to[] = {1, -0.7, 0.9}, T = 0.8;
  for (int k = 0; k <= 1000; ++k) {
    const double x = std::min(1.0, k * 1e-3 / T);
    for (const double goal : to) table.push_back(goal * x * x * x * (10 - 15 * x + 6 * x * x));
    for (const double goal : to) table.push_back(goal / T * 30 * x * x * (1 - x) * (1 - x));
    for (const double goal : to) table.push_back(goal / (T * T) * 60 * x * (1 - x) * (1 - 2 * x));
  }
  return table;
}

template <Law law, Step step>
void compare(double kp, double kd, const std::string& controller, const std::string& method) {
  Loop<double, 3> loop{};
  for (int i = 0; i < 3; ++i) {
    loop.kp[i] = kp;
    loop.kd[i] = kd;
    loop.coulomb[i] = coulomb;
    loop.viscous[i] = viscous;
    loop.limit[i] = limit;
    loop.per_limit[i] = 1 / limit;
  }
  loop.per_width = 1 / width;
  loop.position_noise = noise;
  loop.encoder = encoder;
  loop.per_encoder = 1 / encoder;
  loop.tick = 1e-3;
  loop.ticks = 1000;

  const armature::LoadedScenario loaded = scenario(controller, method);
  armature::run::Experiment e = armature::run::build(loaded);
  Run<double, 3> run{.q = {}, .qd = {}, .friction = 1, .seed = e.loop.sensors.seed};
  const std::vector<double> wanted = reference();
  const Figures<double> figures = roll<law, step, Rrr>(loop, run, wanted.data());

  const armature::Log log = armature::run::run_timed(loaded).log;
  REQUIRE(log.incomplete.empty());
  double largest = 0;
  for (int i = 0; i < 3; ++i) {
    const std::vector<double>&q = log.channel(fmt::format("q{}", i + 1)).values,
          &r = log.channel(fmt::format("q{}_ref", i + 1)).values;
    CHECK(run.q[i] == doctest::Approx(q.back()).epsilon(1e-9).scale(1e-3));
    for (std::size_t k = 0; k < q.size(); ++k) largest = std::max(largest, std::abs(r[k] - q[k]));
  }
  CHECK(figures.largest_error == doctest::Approx(largest).epsilon(1e-9));
}

}  // namespace

TEST_CASE("a rollout is the run that the simulation makes, noise included") {
  compare<Law::joint_pd, Step::rk4>(300, 30, "{kind: joint_pd, kp: 300, kd: 30}", "rk4");
  compare<Law::joint_pd, Step::euler>(300, 30, "{kind: joint_pd, kp: 300, kd: 30}", "euler");
  compare<Law::pd_gravity, Step::rk4>(
      300, 30, "{kind: sum, terms: [{kind: joint_pd, kp: 300, kd: 30}, {kind: gravity}]}", "rk4");
  compare<Law::computed_torque, Step::rk4>(400, 40, "{kind: computed_torque, kp: 400, kd: 40}", "rk4");
}

TEST_CASE("in single precision a rollout is the same to what single precision can hold") {
  Loop<float, 3> loop{};
  Loop<double, 3> exact{};
  for (int i = 0; i < 3; ++i) {
    loop.kp[i] = 300;
    loop.kd[i] = 30;
    loop.limit[i] = limit;  // no friction, no noise
    exact.kp[i] = 300;
    exact.kd[i] = 30;
    exact.limit[i] = limit;
  }
  loop.tick = 1e-3F;
  loop.ticks = 1000;
  exact.tick = 1e-3;
  exact.ticks = 1000;
  const std::vector<double> wanted = reference();
  const std::vector<float> single(wanted.begin(), wanted.end());
  Run<float, 3> run{.q = {}, .qd = {}, .friction = 1, .seed = 1};
  Run<double, 3> truth{.q = {}, .qd = {}, .friction = 1, .seed = 1};
  roll<Law::pd_gravity, Step::semi_implicit_euler, Rrr>(loop, run, single.data());
  roll<Law::pd_gravity, Step::semi_implicit_euler, Rrr>(exact, truth, wanted.data());
  for (int i = 0; i < 3; ++i) CHECK(static_cast<double>(run.q[i]) == doctest::Approx(truth.q[i]).epsilon(1e-4));
}
