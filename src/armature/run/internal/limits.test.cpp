#include "armature/run/internal/limits.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/control/computed_torque.hpp"
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
