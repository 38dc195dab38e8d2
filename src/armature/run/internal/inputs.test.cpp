#include "armature/run/internal/inputs.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/identification/frf.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::run;

namespace {

/// The waist of rrr turns about the vertical: alone, it is an inertia.
const std::string waist_alone = R"(scenario: waist
robot: rrr
start: {q: [10 deg, -60 deg, 40 deg]}
plant: {friction: false, torque_limits: false, locks: [{joint: 2}, {joint: 3}]}
controller: {kind: open_loop}
run: {duration: 1 s}
)";

Log run_with(const std::string& text, const Overrides& overrides) {
  RunResult result = run_timed(scenario_from_text(text, "x.yaml", overrides));
  REQUIRE(result.log.incomplete.empty());
  REQUIRE(result.unbalanced.empty());
  return std::move(result.log);
}

void is_refused(const std::string& text, const Overrides& overrides, const char* says) {
  try {
    (void)build(scenario_from_text(text, "x.yaml", overrides));
    FAIL("it was not refused: ", says);
  } catch (const FormatError& error) {
    const std::string what = error.what();
    CAPTURE(what);
    CHECK(what.find(says) != std::string::npos);
    CHECK(what.find("hint: ") != std::string::npos);
    CHECK(!error.place().file.empty());
  }
}

}  // namespace

TEST_CASE(
    "a torque step turns an inertia by tau t²/(2 J); joints behind brakes do not move at all, and hold what they "
    "must") {
  const Log log = run_with(waist_alone, {{"inputs", "[{joint: 1, kind: step, amplitude: 2 N*m, begin: 0.25 s}]"}});
  const LoadedScenario loaded = scenario_from_text(waist_alone, "x.yaml");
  VecX<double> q = loaded.scenario.start.q;
  MatX<double> M = mass_matrix<double>(loaded.arm, q);
  const MatX<double> rotors = build(loaded).plant.description().reflected_inertia;
  if (rotors.size() > 0) M += rotors;
  const double J = M(0, 0);
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    const double t = std::max(0.0, log.time[k] - 0.25), a = t > 0 || log.time[k] == 0.25 ? 2 / J : 0;
    REQUIRE(log.channel("q1").values[k] == doctest::Approx(q[0] + a * t * t / 2).epsilon(1e-12));
    for (const char* locked : {"q2", "q3"}) REQUIRE(log.channel(locked).values[k] == log.channel(locked).values[0]);
    for (const char* locked : {"v2", "v3"}) REQUIRE(log.channel(locked).values[k] == 0);
    // what the brakes hold is what the joints' motors would have to give for the same motion
    VecX<double> now = q, v = VecX<double>::Zero(3), acceleration = v;
    now[0] = log.channel("q1").values[k];
    v[0] = log.channel("v1").values[k];
    acceleration[0] = a;
    const VecX<double> tau = inverse_dynamics<double>(loaded.arm, now, v, acceleration);
    for (int i = 1; i < 3; ++i)
      REQUIRE(log.channel(fmt::format("friction{}", i + 1)).values[k] == doctest::Approx(-tau[i]).epsilon(1e-9));
  }
  CHECK(log.channel("q1").values.back() - q[0] > 0.01);
}

TEST_CASE("an input in front of the guard is limited by it, one behind it is not; within the limit they are the same") {
  const auto pushed = [](const char* quantity, double amplitude) {
    const std::string input =
        fmt::format("[{{joint: 1, quantity: {}, kind: sine, frequency: 3 Hz, amplitude: {} N*m, begin: 0.1 s}}]",
                    quantity, amplitude);
    return run_with(waist_alone,
                    {{"controller.safety", "{on: true, torque: [1.5 N*m, 50 N*m, 50 N*m]}"}, {"inputs", input}});
  };
  const auto largest = [](const Log& log, const char* name) {
    double most = 0;
    for (const double x : log.channel(name).values) most = std::max(most, std::abs(x));
    return most;
  };
  for (const double amplitude : {1.0, 4.0}) {
    CAPTURE(amplitude);
    const Log before = pushed("law_torque", amplitude), behind = pushed("torque", amplitude);
    CHECK(largest(before, "input_1") == doctest::Approx(amplitude).epsilon(1e-3));
    CHECK(largest(before, "tau1_ref") == doctest::Approx(std::min(amplitude, 1.5)).epsilon(1e-3));
    CHECK(largest(behind, "tau1_ref") == doctest::Approx(amplitude).epsilon(1e-3));
    if (amplitude > 1.5) continue;
    for (std::size_t k = 0; k < before.time.size();
         ++k)  // past the guard's bumpless start, which scales the first alone
      if (before.time[k] > 0.25)
        REQUIRE(before.channel("tau1_ref").values[k] ==
                doctest::Approx(behind.channel("tau1_ref").values[k]).epsilon(1e-12));
  }
  is_refused(waist_alone, {{"inputs", "[{joint: 1, quantity: law_torque, kind: step, amplitude: 2 N*m}]"}},
             "in front of the guard, and there is none");
}

TEST_CASE("a sine of torque, held from tick to tick, gives the speeds that its samples add up to") {
  const Log log =
      run_with(waist_alone,
               {{"inputs", "[{name: shake, joint: 1, kind: sine, amplitude: 3 N*m, frequency: 7 Hz, phase: 30 deg}]"}});
  const LoadedScenario loaded = scenario_from_text(waist_alone, "x.yaml");
  const double J = mass_matrix<double>(loaded.arm, VecX<double>(loaded.scenario.start.q))(0, 0);
  double speed = 0;
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    const double tau = 3 * std::sin(2 * pi * 7 * log.time[k] + 30 * deg);
    REQUIRE(log.channel("input_shake").values[k] == doctest::Approx(tau).epsilon(1e-9));
    REQUIRE(log.channel("tau1_ref").values[k] == log.channel("input_shake").values[k]);
    REQUIRE(log.channel("v1").values[k] == doctest::Approx(speed).epsilon(1e-9));
    speed += 1e-3 * tau / J;
  }
}

//  J w' = N K i,  L i' = V - R i - N K w: from rest w = w_end (1 + (s2 e^(s1 t) - s1 e^(s2 t))/(s1 - s2))
TEST_CASE("a voltage step runs a motor up as its winding, back-emf and inertia say") {
  const std::string text = R"(scenario: voltage step
robot: asea2
plant: {command: voltage, friction: false, locks: [{joint: 2}]}
controller: {kind: open_loop}
inputs: [{joint: 1, quantity: voltage, kind: step, amplitude: 6 V}]
run: {duration: 0.5 s}
)";
  const Log log = run_with(text, {});
  const Experiment e = build(scenario_from_text(text, "x.yaml"));
  const Motor& m = e.plant.description().motors[0];
  const double J = mass_matrix<double>(*e.plant.description().arm, VecX<double>::Zero(2))(0, 0) +
                   e.plant.description().reflected_inertia(0, 0);
  const double NK = m.drives[0].second * m.torque_constant, R = m.resistance, L = m.inductance;
  REQUIRE(L > 0);
  const double half = R / (2 * L), root = std::sqrt(half * half - NK * NK / (J * L)), s1 = -half + root,
               s2 = -half - root;
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    const double t = log.time[k];
    const double w = 6 / NK * (1 + (s2 * std::exp(s1 * t) - s1 * std::exp(s2 * t)) / (s1 - s2));
    REQUIRE(log.channel("v1").values[k] == doctest::Approx(w).epsilon(1e-4).scale(6 / NK));
    REQUIRE(log.channel("u_waist").values[k] == 6);
  }
}

TEST_CASE("in place of the law one joint is driven, the others are held; beside the law the two add up") {
  const std::string held = R"(scenario: held
robot: rrr
plant: {friction: false}
controller: {kind: computed_torque, kp: 400, kd: 40}
run: {duration: 0.8 s}
)";
  const Log driven = run_with(
      held, {{"controller",
              "{kind: sum, terms: [{kind: gravity}, {kind: joint_pd, kp: [900, 2000, 500], kd: [60, 100, 20]}]}"},
             {"inputs", "[{joint: 1, kind: step, amplitude: 5 N*m, begin: 0.1 s, replace: true}]"}});
  const Log added = run_with(held, {{"inputs", "[{joint: 1, kind: step, amplitude: 5 N*m, begin: 0.1 s}]"}});
  for (std::size_t k = 0; k < driven.time.size(); ++k)
    if (driven.time[k] > 0.0995) REQUIRE(driven.channel("tau1_ref").values[k] == 5);
  const double turned = std::abs(driven.channel("q1").values.back());
  CHECK(turned > 0.05);
  for (const char* held_joint : {"q2", "q3"}) CHECK(std::abs(driven.channel(held_joint).values.back()) < 0.02 * turned);
  // beside the law the arm comes to rest where M kp e balances what the input adds
  const Arm arm = scenario_from_text(held, "x.yaml").arm;
  const MatX<double> M = mass_matrix<double>(arm, VecX<double>::Zero(3));
  const Eigen::Vector3d e = Eigen::Matrix3d(M).inverse() * Eigen::Vector3d(5, 0, 0) / 400;
  for (int i = 0; i < 3; ++i)
    CHECK(added.channel(fmt::format("q{}", i + 1)).values.back() == doctest::Approx(e[i]).epsilon(0.02));
  CHECK(added.channel("tau1_ref").values.back() ==
        doctest::Approx(5 + added.channel("part_inertia1").values.back() +
                        added.channel("part_coriolis1").values.back() + added.channel("part_gravity1").values.back()));
  // at the reference: the same as a reference that says so
  const Log input = run_with(held, {{"inputs", "[{joint: 2, quantity: position, kind: step, amplitude: 5 deg}]"}}),
            said = run_with(held, {{"reference", "{kind: step, to: [0, 5 deg, 0]}"}});
  CHECK(input.channel("q2").values == said.channel("q2").values);
  CHECK(input.channel("q2_ref").values == said.channel("q2_ref").values);
}

TEST_CASE("inputs act in a continuous loop as well") {
  const Log log = run_with(waist_alone, {{"controller.continuous", "true"},
                                         {"inputs", "[{joint: 1, kind: sine, amplitude: 3 N*m, frequency: 2 Hz}]"}});
  const LoadedScenario loaded = scenario_from_text(waist_alone, "x.yaml");
  const double J = mass_matrix<double>(loaded.arm, VecX<double>(loaded.scenario.start.q))(0, 0), w = 2 * pi * 2;
  for (std::size_t k = 0; k < log.time.size(); ++k)
    REQUIRE(log.channel("v1").values[k] ==
            doctest::Approx(3 / (J * w) * (1 - std::cos(w * log.time[k]))).epsilon(1e-5).scale(1));
}

TEST_CASE("a table drives a joint, in its unit, and repeats with its period to the bit") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "armature_inputs_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "torque.csv") << "time [s],tau1 [N m],tau2 [mN m]\n0,1,5000\n0.1,3,7000\n0.2,2,0\n";
  std::ofstream(folder / "late.csv") << "time [s],tau [N m]\n0,1\n0.2,3\n0.1,2\n";
  std::ofstream(folder / "nan.csv") << "time [s],tau [N m]\n0,1\n0.1,nan\n0.2,2\n";
  const auto with = [&](const std::string& table) {
    return Overrides{
        {"inputs", fmt::format("[{{joint: 1, kind: table, period: 0.2 s, table: '{}'}}]", (folder / table).string())}};
  };
  Overrides torque = with("torque.csv");
  is_refused(waist_alone, torque, "has 2 columns beside its time");
  torque.emplace_back("inputs.0.column", "tau2");
  const Log log = run_with(waist_alone, torque);
  const std::vector<double>& u = log.channel("input_1").values;
  CHECK(u[0] == doctest::Approx(5));
  CHECK(u[50] == doctest::Approx(6));
  for (std::size_t k = 0; k + 200 < u.size(); ++k) REQUIRE(u[k] == u[k + 200]);
  is_refused(waist_alone, with("late.csv"), "late.csv");
  is_refused(waist_alone, with("nan.csv"), "nan.csv");
  is_refused(waist_alone, with("none.csv"), "there is no table");
  std::filesystem::remove_all(folder);
}

TEST_CASE("inputs that do not fit are refused with place and hint") {
  const auto refused = [](const std::string& inputs, const char* says) {
    is_refused(waist_alone, {{"inputs", inputs}}, says);
  };
  refused("[{joint: 4, amplitude: 1}]", "joints count from 1 to 3");
  refused("[{joint: 2, amplitude: 1}]", "driven by an input and locked");
  refused("[{joint: 1, quantity: voltage, amplitude: 1 V}]", "plant: {command: voltage}");
  refused("[{joint: 1, quantity: current, amplitude: 1 A}]", "plant: {command: current}");
  refused("[{joint: 1, kind: sine, frequency: 600 Hz, amplitude: 1}]", "Nyquist frequency of the tick, 500 Hz");
  refused("[{joint: 1, kind: multisine, period: 0.0015 s, amplitude: 1}]", "a whole number of ticks");
  refused("[{joint: 1, quantity: position, amplitude: 1 deg}]", "the law 'open_loop' does not read");
  refused("[{joint: 1, name: a, amplitude: 1}, {joint: 1, name: a, amplitude: 1}]", "two inputs 'a'");
  refused("[{joint: 1, amplitude: 1 m}]", "amplitude");
  refused("[{joint: 1, kind: step, begin: 1 s}]", "the input has no amplitude");
  refused("[{joint: 1, kind: sine, from: 2 Hz, amplitude: 1}]", "without being a chirp or a multisine");
  is_refused(waist_alone, {{"plant.locks", "[{joint: 2}, {joint: 2}]"}}, "plant.locks names joint 2 twice");
  is_refused(waist_alone, {{"plant.locks", "[{joint: 9}]"}}, "joints count from 1 to 3");
  is_refused(waist_alone, {{"start.v", "[0, 1, 0]"}}, "is locked and starts with a speed");
}
