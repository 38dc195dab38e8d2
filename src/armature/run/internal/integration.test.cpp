#include "armature/run/internal/integration.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/algorithms/friction.hpp"
#include "armature/run/comparison.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::run;

namespace {

/// The arm of a scenario with another friction at every joint.
LoadedScenario rubbing(const std::string& text, const Friction& law, const Overrides& overrides = {}) {
  LoadedScenario loaded = scenario_from_text(text, "x.yaml", overrides);
  ArmDescription d = loaded.arm.description();
  for (JointDescription& joint : d.joints) joint.friction = law;
  loaded.arm = Arm(d);
  return loaded;
}

std::string hint_of(const Log& log) {
  for (const auto& [name, text] : log.facts)
    if (name == "hint") return text;
  return {};
}

const std::string turn = R"(scenario: turn
robot: rrr
plant: {drives: ideal}
start: {q: [0, 60 deg, 30 deg]}
reference: {kind: hold}
controller: {kind: joint_pd, kp: [1e6, 800, 300], kd: [3000, 60, 15]}
run: {duration: 0.12 s, tick: 0.1 ms}
)";

/// Textbook parameters [CanudasDeWit1995].
const LuGre textbook{
    .sigma0 = 1e5, .sigma1 = std::sqrt(1e5), .sigma2 = 0.4, .coulomb = 1, .stiction = 1.5, .stribeck_velocity = 1e-3};

}  // namespace

TEST_CASE("LuGre with textbook parameters slides at every speed with the torque of its closed form, by default") {
  for (const double speed : {1e-3, 1e-2, 0.1, 1.0, 10.0, -0.3}) {
    CAPTURE(speed);
    const LoadedScenario loaded = rubbing(turn, textbook);
    Experiment e = build(loaded);
    const ReferenceSource still = e.loop_reference;
    e.reference = e.loop_reference = [still, speed](double t, Reference& r) {
      still(t, r);
      r.q[0] = speed * t;
      r.qd[0] = speed;
    };
    e.start[e.plant.axes()] = speed;
    const RunResult run = run_timed(loaded, std::move(e));
    REQUIRE(run.log.incomplete.empty());
    CHECK(run.unbalanced.empty());
    const double v = run.log.channel("v1").values.back(), ratio = v / textbook.stribeck_velocity;
    const double limit = textbook.coulomb + (textbook.stiction - textbook.coulomb) * std::exp(-ratio * ratio);
    const double closed = std::copysign(limit, v) + textbook.sigma2 * v;
    CHECK(std::abs(v - speed) < 0.01 * std::abs(speed));
    CHECK(run.log.channel("friction1").values.back() == doctest::Approx(closed).epsilon(1e-3));
  }
}

TEST_CASE("below breakaway LuGre is a spring of stiffness sigma0 that closes a loop, and the loop costs energy") {
  PlantDescription d;
  d.rotors = {{"block", 1}};
  d.friction = {{0, textbook}};
  d.motors = {{.name = "motor", .drives = {{0, 1.0}}}};
  const Plant plant(d);
  Integrator run(plant, {});
  std::vector<LogEvent> events;
  run.start(0, Eigen::VectorXd::Zero(plant.states()), Eigen::VectorXd::Zero(1));
  run.set_input([](double t, const double*, double* u, double*) { u[0] = 0.75 * std::sin(2 * pi * t); });
  double most = 0;
  for (int k = 1; k <= 125; ++k) {
    run.advance(0.01 * k, events);
    most = std::max(most, std::abs(run.state()[0]));
  }
  // z' = v (1 - |.|): softer than the bare spring, stiffer than half of it
  CHECK(most > 0.75 / textbook.sigma0);
  CHECK(most < 2 * 0.75 / textbook.sigma0);
  CHECK(run.state()[plant.states() - 1] > 0);
}

TEST_CASE("Coulomb friction at links without rotors does not explode: the default sees its slope") {
  const Friction dry = CoulombViscous{2, 3};
  const std::string reach = R"(scenario: reach
robot: ur5e
plant: {drives: ideal}
start: {q: [0, -60 deg, 60 deg, 0, 0, 0]}
reference: {kind: polynomial, to: [20 deg, -40 deg, 40 deg, 10 deg, 10 deg, 10 deg], duration: 0.2 s}
controller: {kind: computed_torque, kp: [100, 100, 100, 100, 100, 100], kd: [20, 20, 20, 20, 20, 20]}
run: {duration: 0.05 s}
limits: ignore
)";
  const RunResult ours = run_timed(rubbing(reach, dry));
  CHECK(ours.log.incomplete.empty());
  CHECK(ours.integration.find("cvode from") != std::string::npos);
  CHECK(ours.integration.find("error control, because its fastest mode decays with") != std::string::npos);
  const RunResult theirs = run_timed(rubbing(reach, dry, {{"run.method", "rk4"}}));
  CHECK(theirs.log.incomplete.starts_with("diverged at t = "));
  CHECK(hint_of(theirs.log).starts_with("the step is to blame, not the loop"));
  for (int i = 1; i <= 6; ++i)  // never a table or a plot of 1e49
    for (const double v : theirs.log.channel(fmt::format("v{}", i)).values) CHECK(std::abs(v) <= 1e3);
}

TEST_CASE(
    "the drive of four inertias runs by default, and with the fixed step that cannot follow it the step is blamed") {
  const std::string text = R"(scenario: drive
robot: asea2
plant: {drives: elastic}
start: {q: [0, 20 deg]}
reference: {kind: polynomial, to: [10 deg, 30 deg], duration: 0.3 s}
controller: {kind: joint_pd, kp: [800, 800], kd: [40, 40]}
run: {duration: 0.06 s}
)";
  const auto four_inertias = [&](const Overrides& overrides) { return scenario_from_text(text, "x.yaml", overrides); };
  const RunResult ours = run_timed(four_inertias({}));
  CHECK(ours.log.incomplete.empty());
  CHECK(ours.unbalanced.empty());
  CHECK(ours.integration.find("error control, because its fastest mode swings at") != std::string::npos);
  const Log fixed = run_scenario(four_inertias({{"run.method", "rk4"}}));
  CHECK(fixed.incomplete.starts_with("diverged at t = "));
  CHECK(hint_of(fixed).starts_with("the step is to blame, not the loop"));
}

TEST_CASE("a loop that is unstable is to blame itself, whatever the integrator") {
  const std::string printed = R"(scenario: printed gains
robot: rpr
reference: {to: [2.1, -0.2 m, 1]}
controller: {kind: joint_pd, kp: [150, 150, 150], kd: [50, 50, 50]}
run: {duration: 1 s}
)";
  for (const char* method : {"auto", "rk4", "dormand_prince"}) {
    CAPTURE(method);
    const Log log = run_scenario(scenario_from_text(printed, "x.yaml", {{"run.method", method}}));
    CHECK(log.incomplete.starts_with("diverged at t = "));
    CHECK(hint_of(log).starts_with("the loop is to blame, not the step"));
    CHECK(hint_of(log).find("largest |eigenvalue| from tick to tick is 3") != std::string::npos);
    CHECK(std::isfinite(metrics_of(log).diverged));
  }
}

TEST_CASE("work done counts with its absolute value in the energy balance") {
  Log log;
  log.time = {0, 1, 2};
  log.add("energy_supplied", "J").values = {0, 10, 0};  // there and back
  log.add("energy_dissipated", "J").values = {0, 0, 0};
  log.add("energy_stored", "J").values = {0, 10, 0};
  log.add("energy_error", "J").values = {0, 0, 0.015};
  CHECK(energy_balance(log).work == 20);
  CHECK(energy_balance(log).holds);
  log.channels.back().values[2] = 0.025;
  CHECK(!energy_balance(log).holds);
  CHECK(energy_balance(log).at == 2);
}

TEST_CASE("an arm that falls without friction does no work, and its energy balance holds") {
  for (const std::string drives : {"ideal", "rigid"}) {
    CAPTURE(drives);
    const RunResult run = run_timed(scenario_from_text(
        "scenario: fall\nrobot: planar3r\nstart: {q: [-60 deg, -30 deg, 20 deg]}\nplant: {friction: false, drives: " +
            drives + "}\ncontroller: {kind: open_loop}\nrun: {duration: 5 s}\n",
        "x.yaml"));
    CHECK(run.unbalanced.empty());
  }
}
