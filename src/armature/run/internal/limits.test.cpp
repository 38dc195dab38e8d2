#include "armature/run/internal/limits.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "armature/control/computed_torque.hpp"
#include "armature/formats/yaml.hpp"
#include "armature/model/dh.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::run;

namespace {

const std::string panda = R"(scenario: panda
robot: panda
start: {q: [0, 0, 0, -90 deg, 0, 90 deg, 0]}
reference: {kind: polynomial, to: [0, 0, 0, 30 deg, 0, 90 deg, 0], duration: 1 s}
controller: {kind: computed_torque, kp: [400, 400, 400, 400, 400, 400, 400], kd: [40, 40, 40, 40, 40, 40, 40]}
run: {duration: 1.2 s}
)";

bool mentions(const std::vector<std::string>& warnings, const std::string& what) {
  for (const std::string& warning : warnings)
    if (warning.find(what) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a reference beyond a limit is warned of with joint, time and amount, unless limits are ignored") {
  const std::vector<std::string> told = build(scenario_from_text(panda, "x.yaml")).warnings;
  CHECK(mentions(told, "joint4: position beyond -"));
  CHECK(mentions(told, "limits: ignore"));
  CHECK(build(scenario_from_text(panda, "x.yaml", {{"limits", "ignore"}})).warnings.empty());
  CHECK(build(scenario_from_text(panda, "x.yaml", {{"reference.to", "[0, 0, 0, -80 deg, 0, 90 deg, 0]"}}))
            .warnings.empty());
  const auto fast = build(scenario_from_text(panda, "x.yaml",
                                             {{"reference.to", "[90 deg, 0, 0, -90 deg, 0, 90 deg, 0]"},
                                              {"reference.duration", "0.1 s"}}))
                        .warnings;
  CHECK(mentions(fast, "joint1: speed beyond"));
  CHECK(mentions(fast, "joint1: torque beyond 87 N m"));
  CHECK(!mentions(fast, "position beyond"));
}

TEST_CASE("an end stop holds a joint that is driven into it, and takes energy") {
  const RunResult run = run_timed(scenario_from_text(panda, "x.yaml"));
  CHECK(run.log.incomplete.empty());
  CHECK(run.unbalanced.empty());
  CHECK(mentions(run.warnings, "joint 'joint4' reaches its end stop at"));
  const double limit = *scenario_from_text(panda, "x.yaml").arm.joint(3).limits.upper;
  double most = -10;
  for (const double q : run.log.channel("q4").values) most = std::max(most, q);
  CHECK(most > limit);
  CHECK(most < limit + 2 * deg);
  const RunResult free = run_timed(scenario_from_text(panda, "x.yaml", {{"plant.end_stops", "false"}}));
  CHECK(free.log.channel("q4").values.back() > 25 * deg);
  const RunResult fixed = run_timed(scenario_from_text(panda, "x.yaml", {{"run.method", "rk4"}}));
  CHECK(fixed.log.incomplete.empty());
  CHECK(mentions(fixed.warnings, "which the method of the scenario does not locate"));
}

TEST_CASE("end stops that are not reached leave no trace in a log") {
  const Overrides inside{{"reference.to", "[0, 0, 0, -80 deg, 0, 90 deg, 0]"}};
  Overrides without = inside;
  without.emplace_back("plant.end_stops", "false");
  const Log a = run_scenario(scenario_from_text(panda, "x.yaml", inside)),
            b = run_scenario(scenario_from_text(panda, "x.yaml", without));
  REQUIRE(a.channels.size() == b.channels.size());
  for (std::size_t k = 0; k < a.channels.size(); ++k) CHECK(a.channels[k].values == b.channels[k].values);
}

TEST_CASE("a joint that starts beyond its stop is told, and not thrown back") {
  const RunResult run = run_timed(scenario_from_text(
      panda, "x.yaml", {{"start.q", "[0, 0, 0, 0, 0, 90 deg, 0]"}, {"reference.to", "[0, 0, 0, 0, 0, 90 deg, 0]"}}));
  CHECK(mentions(run.warnings, "joint4: starts at 0 deg, beyond its limit of -"));
  for (const double v : run.log.channel("v4").values) CHECK(std::abs(v) < 1);
}

TEST_CASE("a joint that stands at its limit has not reached its end stop") {
  const std::string upper = fmt::format("{}", *scenario_from_text(panda, "x.yaml").arm.joint(3).limits.upper);
  const std::string at = "[0, 0, 0, " + upper + ", 0, 90 deg, 0]";
  const RunResult run = run_timed(
      scenario_from_text(panda, "x.yaml", {{"start.q", at}, {"reference.to", at}, {"plant.friction", "false"}}));
  CHECK(run.warnings.empty());
  CHECK(run.log.events.empty());
}

TEST_CASE("a motor is saturated for the share of samples in which it is asked for its limit or more") {
  PlantDescription plant;
  plant.motors = {{.name = "a", .drives = {{0, 1.0}}, .torque_limit = 10.0},
                  {.name = "b", .drives = {{0, 1.0}}, .torque_limit = 100.0}};
  Log log;
  log.time = {0, 1, 2, 3};
  for (const char* name : {"u_a", "torque_a", "u_b", "torque_b"}) log.add(name, "N m").values = {5, -10, 20, 3};
  const std::vector<Saturation> found = saturation_of(plant, log);
  REQUIRE(found.size() == 1);
  CHECK(found[0].motor == "a");
  CHECK(found[0].share == 0.5);
}

TEST_CASE("a law of the calling program stands in for the scenario's, also when the run starts anew with end stops") {
  LoadedScenario other = scenario_from_text(panda, "x.yaml", {{"controller.kp", "1"}, {"controller.kd", "1"}});
  other.law = [](const Arm& believed) {
    return AnyController(
        ComputedTorque(believed, {.kp = VecX<double>::Constant(7, 400), .kd = VecX<double>::Constant(7, 40)}));
  };
  const RunResult own = run_timed(other), theirs = run_timed(scenario_from_text(panda, "x.yaml"));
  CHECK(mentions(own.warnings, "joint 'joint4' reaches its end stop at"));
  CHECK(own.log.channel("q4").values == theirs.log.channel("q4").values);
}

namespace {

/// One joint, 1 kg m² and no gravity along its axis, that stops at 1 rad: pushed towards the stop and held back by 100 N m, it moves along a
/// parabola and is where it was after a tick of 10 ms.
RunResult thrown_towards_its_stop(double from) {
  const Inertia<double> inertia = inertia_about_com<double>(1.0, {0, 0, 0}, Vec3<double>(1.5, 1.5, 1.0).asDiagonal());
  ArmDescription description = arm_from_dh("turntable", {{.name = "turn", .inertia = inertia}}).description();
  description.joints[0].limits = {.lower = -1.0, .upper = 1.0};
  const Arm arm(description);
  const std::string text = fmt::format(R"(scenario: graze
robot: turntable
start: {{q: [{}], v: [0.5]}}
reference: {{kind: hold, to: [{}]}}
controller: {{kind: joint_pd, kp: [1000], kd: [0]}}
run: {{duration: 10 ms, tick: 10 ms}}
)",
                                       from, from - 0.1);
  return run_timed(scenario_from_tree(parse_yaml(text, "graze.yaml"), arm, arm));
}

}  // namespace

TEST_CASE("an end stop that is met and left between two ticks is met, at the time at which the parabola says") {
  constexpr double gap = 2.5e-4, v = 0.5, a = 100;  // the joint would come 1.25 mrad closer
  const RunResult run = thrown_towards_its_stop(1 - gap);
  CHECK(mentions(run.warnings, "joint 'turn' reaches its end stop at"));
  REQUIRE(!run.log.events.empty());
  CHECK(run.log.events[0].detail == "end stop turn");
  CHECK(run.log.events[0].time == doctest::Approx((v - std::sqrt(v * v - 2 * a * gap)) / a).epsilon(1e-9));
  CHECK(run.log.channel("energy_dissipated").values.back() > 0);  // the stop takes energy
  const RunResult missed = thrown_towards_its_stop(1 - 1.3e-3);
  CHECK(!mentions(missed.warnings, "end stop"));
  CHECK(missed.log.events.empty());
  CHECK(missed.log.channel("v1").values.back() == doctest::Approx(-v));
}

TEST_CASE("a cubic turns back where its slope is zero") {
  // (s - 0.3)^3 - 0.12 s: slope zero at 0.3 - 0.2 and 0.3 + 0.2, of which one lies between the two times
  const auto q = [](double s) { return std::pow(s - 0.3, 3) - 0.12 * s; };
  const auto v = [](double s) { return 3 * std::pow(s - 0.3, 2) - 0.12; };
  for (const auto& [from, to, at] : {std::array{0.0, 0.4, 0.1}, {0.2, 0.9, 0.5}})
    CHECK(turning_point(to - from, q(from), v(from), q(to), v(to)) == doctest::Approx(q(at)));
  CHECK(turning_point(2, 0, 1, 0, -1) == doctest::Approx(0.5));  // a parabola: v² / 2 a
}
