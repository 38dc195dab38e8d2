#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/model/dh.hpp"
#include "armature/run/comparison.hpp"
#include "armature/run/hold_stability.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::run;

namespace {

const std::string move = R"(scenario: move
robot: rrr
start: {q: [0, 0.2, 0.4]}
limits: ignore
reference: {kind: polynomial, to: [20 deg, 10 deg, -10 deg], duration: 0.1 s}
controller: {kind: joint_pd, kp: [800, 800, 300], kd: [60, 60, 15]}
run: {duration: 0.12 s}
)";

LoadedScenario believing(const std::string& belief) {
  return scenario_from_text(move + "belief: " + belief + "\n", "x.yaml");
}

Arm turntable() {
  const Inertia<double> inertia = inertia_about_com<double>(1.0, {0, 0, 0}, Vec3<double>(1.5, 1.5, 1.0).asDiagonal());
  return arm_from_dh("turntable", {{.name = "turn", .inertia = inertia}});
}

}  // namespace

TEST_CASE("the controller's arm is the true one with the errors it was given") {
  const LoadedScenario half = believing("{mass_factor: [0.5], friction: false}");
  const VecX<double> q = VecX<double>::Constant(3, 0.3);
  CHECK((mass_matrix<double>(half.believed, q) * 2 - mass_matrix<double>(half.arm, q)).norm() < 1e-12);
  CHECK(std::holds_alternative<NoFriction>(half.believed.joint(0).friction));
  CHECK(!std::holds_alternative<NoFriction>(half.arm.joint(0).friction));
  const LoadedScenario one = believing("{mass_factor: [1, 1, 2]}");
  CHECK(one.believed.body(2).inertia.m == doctest::Approx(2 * one.arm.body(2).inertia.m));
  CHECK(one.believed.body(1).inertia.m == one.arm.body(1).inertia.m);
  const LoadedScenario floating = believing("{gravity: [0, 0, 0]}");
  CHECK(gravity_torque<double>(floating.believed, q).norm() == 0);
  const LoadedScenario loaded = believing("{payload: [{mass: 2 kg}]}");
  const Pose<double> tool = tool_pose(loaded.arm, forward_kinematics<double>(loaded.arm, q));
  const VecX<double> more = gravity_torque<double>(loaded.believed, q) - gravity_torque<double>(loaded.arm, q);
  CHECK(std::abs(more[1]) == doctest::Approx(2 * 9.8062 * tool.p.head<2>().norm()).epsilon(0.2));
  CHECK_THROWS_WITH_AS(believing("{robot: puma560}"), doctest::Contains("has 6 joints"), FormatError);
  CHECK_THROWS_WITH_AS(believing("{robot: rpr}"), doctest::Contains("moves in another way"), FormatError);
  CHECK_THROWS_WITH_AS(believing("{mass_factor: [1, 2]}"), doctest::Contains("x.yaml:8:"), FormatError);
}

TEST_CASE("an analogue-to-digital converter reads in steps of its last bit and not beyond its range") {
  const Log log = run_scenario(
      scenario_from_text("scenario: x\nrobot: rrr\nsensors: {bits: 8, torque_range: 20 N*m}\nreference: {kind: step, "
                         "to: [90 deg, 0, 0]}\n"
                         "controller: {kind: joint_pd, kp: [800, 800, 300], kd: [20, 20, 5]}\nrun: {duration: 1 s}\n",
                         "x.yaml"));
  const double step = 40.0 / 255;
  int full = 0;
  for (const char* joint : {"tau1", "tau2", "tau3"}) {
    const auto& acting = log.channel(joint).values;
    const auto& read = log.channel(std::string(joint) + "_meas").values;
    for (std::size_t i = 1; i < read.size(); ++i) {
      REQUIRE(std::abs(read[i] / step - std::round(read[i] / step)) < 1e-9);
      REQUIRE(std::abs(read[i] - std::clamp(acting[i - 1], -20.0, 20.0)) <= 0.5001 * step);
      full += std::abs(acting[i - 1]) > 20;
    }
  }
  CHECK(full > 20);
}

TEST_CASE("a log tells the torque that acts from the one asked for and from what the sensor reads") {
  const Log log = run_scenario(
      scenario_from_text("scenario: x\nrobot: rrr\nseed: 5\nsensors: {torque_noise: 0.5 N*m}\nreference: {kind: step, "
                         "to: [90 deg, 0, 0]}\n"
                         "controller: {kind: joint_pd, kp: [800, 800, 300], kd: [20, 20, 5]}\nrun: {duration: 2 s}\n",
                         "x.yaml"));
  const auto& acting = log.channel("tau1").values;
  const auto& asked = log.channel("tau1_ref").values;
  const auto& read = log.channel("tau1_meas").values;
  int cut = 0;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < acting.size(); ++i) {
    REQUIRE(acting[i] == std::clamp(asked[i], -180.0, 180.0));
    cut += acting[i] != asked[i];
    if (i == 0) continue;
    const double noise = read[i] - acting[i - 1];  // read before the new command acts
    sum += noise;
    squares += noise * noise;
  }
  CHECK(cut > 20);
  CHECK(cut < 1000);
  const auto n = static_cast<double>(acting.size() - 1);
  CHECK(std::abs(sum / n) < 4 * 0.5 / std::sqrt(n));
  CHECK(std::sqrt(squares / n) == doctest::Approx(0.5).epsilon(4 / std::sqrt(2 * n)));
}

TEST_CASE("a log has what was asked for beside what happened: torques, and the reference of joints and tool") {
  const LoadedScenario loaded = scenario_from_text(move, "x.yaml");
  const Log log = run_scenario(loaded);
  CHECK(log.channel("tau1_ref").values[50] == log.channel("u_waist").values[50]);
  CHECK(log.scene.size() == 5);
  for (const std::size_t row : {std::size_t{0}, log.time.size() / 2, log.time.size() - 1}) {
    VecX<double> q(3);
    for (int i = 0; i < 3; ++i) q[i] = log.channel("q" + std::to_string(i + 1) + "_ref").values[row];
    const Pose<double> X = tool_pose(loaded.arm, forward_kinematics<double>(loaded.arm, q));
    CHECK(log.channel("tool_x_ref").values[row] == doctest::Approx(X.p[0]));
    CHECK(log.channel("tool_z_ref").values[row] == doctest::Approx(X.p[2]));
  }
  for (const char* name : {"tool_qw_ref", "a1_ref", "energy_stored", "friction1", "status"}) CHECK(log.has(name));
}

TEST_CASE("the eigenvalues of a held loop are those of the sampled double integrator") {
  const Composition composition = compose(turntable());
  const Plant plant(composition.plant);
  const double kp = 400, kd = 30, T = 0.02;
  AnyController law(JointPd{VecX<double>::Constant(1, kp), VecX<double>::Constant(1, kd)});
  const ReferenceSource hold = [](double, Reference& r) { r.q = r.qd = r.qdd = VecX<double>::Zero(1); };
  const Eigen::VectorXd start = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1));
  LoopSettings loop{.tick = T};
  const double trace = 2 - kp * T * T / 2 - kd * T, det = 1 - kd * T + kp * T * T / 2;
  const std::complex<double> root = std::sqrt(std::complex<double>(trace * trace / 4 - det));
  const double expected = std::max(std::abs(trace / 2 + root), std::abs(trace / 2 - root));
  const HeldLoop held = held_loop(plant, composition.to_command, law, hold, start, loop);
  CHECK(held.radius == doctest::Approx(expected).epsilon(1e-7));
  CHECK(!held.unstable);
  loop.tick = 0.1;  // kd T / J = 3 > 2
  CHECK(held_loop(plant, composition.to_command, law, hold, start, loop).unstable);
  loop.tick = T;
  loop.sensors.delay = 4;
  loop.converter.delay = 3;
  CHECK(held_loop(plant, composition.to_command, law, hold, start, loop).radius > 1);
}

TEST_CASE("gains that only a continuous law can have are warned of, and the run that ignores the warning diverges") {
  const std::string printed = R"(scenario: printed gains
robot: rpr
reference: {to: [2.1, -0.2 m, 1]}
controller: {kind: joint_pd, kp: [150, 150, 150], kd: [50, 50, 50]}
run: {duration: 1 s}
)";
  const RunResult held = run_timed(scenario_from_text(printed, "x.yaml"));
  REQUIRE(held.warnings.size() == 1);
  CHECK(held.warnings[0].find("held for 1 ms: largest |eigenvalue| 3") != std::string::npos);
  CHECK(!held.log.incomplete.empty());
  const RunResult fine = run_timed(
      scenario_from_text(printed, "x.yaml", {{"run.tick", "20 us"}, {"run.step", "20 us"}, {"run.duration", "0.1 s"}}));
  CHECK(fine.warnings.empty());
  CHECK(fine.log.incomplete.empty());
}

TEST_CASE(
    "a step too long for the friction shows in the energy balance: a failure, unless it is accepted or not insisted "
    "on") {
  const std::string fall = R"(scenario: fall
robot: rrr
start: {q: [0 deg, 60 deg, 30 deg]}
controller: {kind: open_loop}
run: {duration: 2 s, tick: 10 ms}
)";
  const auto run = [&](const Overrides& overrides) { return run_timed(scenario_from_text(fall, "x.yaml", overrides)); };
  CHECK(run({}).warnings.empty());
  CHECK(run({}).unbalanced.empty());
  CHECK(run({}).integration.starts_with("rk4 in steps of at most 1 ms: its fastest mode decays with"));
  const RunResult coarse = run({{"run.step", "5 ms"}, {"run.method", "rk4"}});
  CHECK(coarse.log.incomplete.empty());
  CHECK(coarse.unbalanced.find("the energy balance is off by") == 0);
  CHECK(coarse.unbalanced.find("hint: leave run.method out, or a shorter run.step (it is 5 ms)") != std::string::npos);
  const RunResult accepted = run({{"run.step", "5 ms"}, {"run.method", "rk4"}, {"run.accept_energy_error", "true"}});
  CHECK(accepted.unbalanced.empty());
  REQUIRE(accepted.warnings.size() == 1);
  CHECK(accepted.warnings[0] == coarse.unbalanced);
  const RunResult ours = run({{"run.step", "5 ms"}});
  CHECK(ours.unbalanced.empty());
  CHECK(ours.integration.starts_with("dormand_prince: error control, because"));
}

TEST_CASE("cases replace settings of their scenario, and their results do not depend on the number of threads") {
  const std::string text = move + R"(sensors: {position_noise: 1e-4, speed: difference}
cases:
  - {case: as it is}
  - {case: softer, controller: {kp: [400, 400, 150]}}
  - {case: nothing, controller: {kind: open_loop}}
)";
  const std::vector<LoadedScenario> cases = cases_from_text(text, "x.yaml");
  REQUIRE(cases.size() == 3);
  ControllerSettings softer = cases[1].scenario.controller;
  CHECK(softer.as<JointPdSettings>().kp[0] == 400);
  CHECK(softer.as<JointPdSettings>().kd[0] == 60);
  CHECK(cases[2].scenario.controller.kind() == "open_loop");
  const auto one = run_all(cases, 1), two = run_all(cases, 2);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    REQUIRE(one[i].log.channels.size() == two[i].log.channels.size());
    for (std::size_t k = 0; k < one[i].log.channels.size(); ++k)
      CHECK(one[i].log.channels[k].values == two[i].log.channels[k].values);
  }
  CHECK(metrics_of(one[0]).joints[0].rms < metrics_of(one[1]).joints[0].rms);
  CHECK(metrics_of(one[1]).joints[0].rms < metrics_of(one[2]).joints[0].rms);
  CHECK_THROWS_WITH_AS(cases_from_text(move + "cases:\n  - {kase: a}\n", "x.yaml"), doctest::Contains("x.yaml:9:"),
                       FormatError);
  CHECK_THROWS_WITH_AS(cases_from_text(move + "cases:\n  - {case: a, controller: {kq: [1]}}\n", "x.yaml"),
                       doctest::Contains("x.yaml:9:28"), FormatError);
}

namespace {

/// A log of one joint that goes from 0 towards `goal`, on a reference that gets there at `arrival`, a sample a millisecond.
Log of_one_joint(double arrival, const std::function<double(double t, double wanted)>& joint) {
  Log log;
  log.add("q1", "rad");
  log.add("q1_ref", "rad");
  log.add("energy_supplied", "J");
  log.add("energy_dissipated", "J");
  for (int k = 0; k <= 2000; ++k) {
    const double t = 1e-3 * k, wanted = arrival > 0 ? std::min(1.0, t / arrival) : 1.0;
    log.time.push_back(t);
    log.channels[0].values.push_back(joint(t, wanted));
    log.channels[1].values.push_back(wanted);
    log.channels[2].values.push_back(0);
    log.channels[3].values.push_back(0);
  }
  return log;
}
double settling_of(const Log& log) { return metrics_of(log).joints[0].settling; }

}  // namespace

TEST_CASE("a joint settles when its reference is at rest and its error within 2 % for good") {
  const auto lag = [](double t, double wanted) { return wanted - std::exp(-t / 0.1) * wanted; };
  CHECK(settling_of(of_one_joint(0, lag)) == doctest::Approx(0.1 * std::log(50)).epsilon(0.003));
  const auto follows = [](double, double wanted) { return wanted; };
  CHECK(settling_of(of_one_joint(1.5, follows)) == doctest::Approx(1.5));  // not while the reference moves
  const auto stays_off = [](double, double wanted) { return 0.97 * wanted; };
  CHECK(std::isinf(settling_of(of_one_joint(1.5, stays_off))));
  const auto late = [](double t, double wanted) { return t < 1.8 ? 0.9 * wanted : wanted; };
  CHECK(settling_of(of_one_joint(0.5, late)) == doctest::Approx(1.8));
  CHECK(std::isnan(settling_of(of_one_joint(4, follows))));                             // it moves until the end
  CHECK(std::isnan(settling_of(of_one_joint(0, [](double, double) { return 1.0; }))));  // no move
}

TEST_CASE("a wrong setting of one case is refused before any case runs") {
  const std::vector<LoadedScenario> cases =
      cases_from_text(move + "cases:\n  - {case: sound}\n  - {case: endless, run: {step: 1e-15}}\n", "x.yaml");
  bool ran = false;
  CHECK_THROWS_WITH_AS(run_all(cases, 1, nullptr, [&](double) { ran = true; }), doctest::Contains("x.yaml:"),
                       FormatError);
  CHECK(!ran);
}

TEST_CASE("a run that diverges has no numbers, only the time at which it did") {
  Log log = of_one_joint(0, [](double t, double) { return std::exp(50 * t); });
  CHECK(std::isnan(metrics_of(log).diverged));
  log.incomplete = "diverged";
  const RunMetrics m = metrics_of(log);
  CHECK(m.diverged == doctest::Approx(std::log(1e6) / 50).epsilon(0.01));
  CHECK(std::isnan(m.joints[0].rms));
  CHECK(std::isinf(m.joints[0].settling));
}

TEST_CASE("gains far too high for the hold are warned of, however high") {
  for (const std::string key : {"controller.kp", "controller.kd"})
    for (const std::string gain : {"1e7", "1e9", "1e12", "1e15", "1e20", "1e50", "1e100", "1e200", "1e300"}) {
      CAPTURE(key);
      CAPTURE(gain);
      const Experiment e = build(scenario_from_text(move, "x.yaml", {{key, gain}}));
      REQUIRE(e.warnings.size() == 1);
      CHECK((e.warnings[0].find("unstable when commands are held") != std::string::npos ||
             e.warnings[0].find("the gains are so large") != std::string::npos));
    }
}

TEST_CASE("settings that hardly mean what they say get a word, and delays without end are refused") {
  const auto warnings = [](const Overrides& overrides) {
    return build(scenario_from_text(move, "x.yaml", overrides)).warnings;
  };
  CHECK(warnings({}).empty());
  REQUIRE(warnings({{"start.q", "1e9 deg"}}).size() == 3);
  CHECK(warnings({{"start.q", "1e9 deg"}})[0].find("starts at 2.778e+06 turns") != std::string::npos);
  REQUIRE(warnings({{"reference.duration", "1e-12 s"}}).size() == 1);
  CHECK(warnings({{"reference.duration", "1e-12 s"}})[0].find("the reference is a step") != std::string::npos);
  for (const char* kind : {"hold", "step"}) {
    REQUIRE(warnings({{"reference.kind", kind}}).size() == 1);
    CHECK(warnings({{"reference.kind", kind}})[0].find("reference.duration does nothing") != std::string::npos);
  }
  for (const char* key : {"sensors.delay", "converter.delay"}) {
    CHECK_THROWS_WITH_AS(warnings({{key, "1000000"}}), doctest::Contains("0 to 1000 ticks"), FormatError);
    CHECK(warnings({{key, "1000"}}).empty());  // and that in no time
  }
}

TEST_CASE("settling and overshoot are those of the second-order step response") {
  const std::string text = R"(scenario: step
robot: rrr
plant: {friction: false, torque_limits: false, drives: ideal}
start: {q: [0, 90 deg, 0]}
reference: {to: [0.1, 90 deg, 0]}
controller: {kind: joint_pd, kp: [100, 1e5, 1e5], kd: [2, 3e2, 3e2], continuous: true}
run: {duration: 6 s, tick: 1 ms}
)";
  const LoadedScenario loaded = scenario_from_text(text, "x.yaml");
  VecX<double> q(3);
  q << 0, pi / 2, 0;
  const Eigen::MatrixXd M = mass_matrix<double>(loaded.arm, q);
  // joints 2 and 3 are held stiffly: joint 1 alone is a mass on a spring
  const double w = std::sqrt(100 / M(0, 0)), z = 2 / (2 * std::sqrt(100 * M(0, 0)));
  const AxisMetrics axis = metrics_of(run_scenario(loaded)).joints[0];
  CHECK(axis.overshoot == doctest::Approx(std::exp(-pi * z / std::sqrt(1 - z * z))).epsilon(0.02));
  CHECK(axis.settling == doctest::Approx(std::log(50) / (z * w)).epsilon(0.1));
}
