#include "armature/run/tuned_law.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "armature/identification/frf.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::run;

namespace {

/// One joint in its loop, shaken by many sines; the others behind brakes.
struct Bench {
  const char* robot;
  const char* start;
  const char* plant;  // drives
  int joint;
  double kp, kd;
  const char* shake;  // largest torque
};

const Bench benches[] = {{"rrr", "[0, -60 deg, 40 deg]", "drives: rigid", 1, 300, 30, "4 N*m"},
                         {"ur5e", "[0, -70 deg, 80 deg, 0, 90 deg, 0]", "drives: rigid", 2, 2000, 200, "15 N*m"},
                         {"asea2", "[0, 20 deg]", "drives: elastic", 1, 600, 100, "100 N*m"}};

std::string scenario_of(const Bench& b) {
  const int dof = std::string(b.robot) == "ur5e" ? 6 : std::string(b.robot) == "rrr" ? 3 : 2;
  std::string locks;
  for (int i = 1; i <= dof; ++i)
    if (i != b.joint) locks += fmt::format("{}{{joint: {}}}", locks.empty() ? "" : ", ", i);
  return fmt::format(R"(scenario: bench
robot: {}
start: {{q: {}}}
plant: {{{}, friction: false, torque_limits: false, locks: [{}]}}
sensors: {{speed: difference}}
controller: {{kind: sum, terms: [{{kind: gravity}}, {{kind: joint_pd, kp: {}, kd: {}}}]}}
inputs: [{{joint: {}, kind: multisine, amplitude: {}, period: 2 s, from: 1 Hz, to: 150 Hz, tilt: 1}}]
run: {{duration: 10 s}}
)",
                     b.robot, b.start, b.plant, locks, b.kp, b.kd, b.joint, b.shake);
}

/// After four seconds, in which the start dies away.
FrfEstimate measured(const Log& log, int joint) {
  REQUIRE(log.incomplete.empty());
  return estimate_frf(log, {.input = fmt::format("tau{}_ref", joint),
                            .output = fmt::format("q{}_meas", joint),
                            .excitation = "input_1",
                            .segment = 2,
                            .periodic = true,
                            .begin = 4});
}

/// From the joint's torque to its position, by linearization.
std::vector<std::complex<double>> linearized(const std::string& text, int joint,
                                             const std::vector<double>& frequencies) {
  Experiment e = build(scenario_from_text(text, "x.yaml"));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(e.plant.inputs());
  const Modes modes = e.plant.modes_at(0, e.start, u.data());
  const LinearPlant linear = linearize(e.plant, 0, e.start, u, modes);
  const Eigen::VectorXd C = Eigen::VectorXd::Unit(linear.A.rows(), joint - 1);
  return frequency_response(held(linear, e.loop.tick), e.composition.to_command.col(joint - 1), C, frequencies);
}

PlantResponse lines_between(const FrequencyResponse& frf, double from, double to) {
  PlantResponse plant{"bench", {}, {}};
  for (std::size_t k = 0; k < frf.frequency.size(); ++k)
    if (frf.frequency[k] >= from && frf.frequency[k] <= to) {
      plant.frequency.push_back(frf.frequency[k]);
      plant.response.push_back(frf.response[k]);
    }
  return plant;
}

}  // namespace

TEST_CASE(
    "excite, simulate, frf, tune, simulate: the plant is the linearized one, the margins are its margins, the law is "
    "C(z)") {
  for (const Bench& b : benches)
    for (const bool integral : {false, true}) {
      CAPTURE(std::string(b.robot));
      const std::string text = scenario_of(b);
      const LoadedScenario loaded = scenario_from_text(text, "x.yaml");
      const PlantResponse found = lines_between(measured(run_scenario(loaded), b.joint).best(), 1, 150);
      REQUIRE(found.frequency.size() > 250);
      const PlantResponse truth{"linearized", found.frequency, linearized(text, b.joint, found.frequency)};
      for (std::size_t k = 0; k < found.frequency.size(); ++k) {
        CAPTURE(found.frequency[k]);
        REQUIRE(std::abs(found.response[k] / truth.response[k] - 1.0) < 5e-3);
      }

      const Tuning tuning = tune({found}, {.integral = integral, .speed = SensorSettings::Speed::difference, .to = 60});
      const LoopMargins said = tuning.margins[0], true_ones = loop_margins(truth, tuning.controller);
      CHECK(true_ones.stable);
      CHECK(true_ones.bandwidth == doctest::Approx(said.bandwidth).epsilon(0.01));
      CHECK(std::abs(true_ones.phase - said.phase) < 1 * deg);
      if (std::isfinite(said.gain)) CHECK(true_ones.gain == doctest::Approx(said.gain).epsilon(0.02));

      // the law that tune writes, in the loop: its sensitivity is 1/(1 + P C) with P from the linearization
      const std::string law = controller_yaml(
          loaded, with_tuned_joint(loaded, loaded.scenario.controller, b.joint, tuning.controller, "N m"));
      const std::filesystem::path file = std::filesystem::temp_directory_path() / "armature_tuned_law_test.yaml";
      std::ofstream(file) << law;
      const LoadedScenario tuned = scenario_from_text(text, "x.yaml", {{"", file.string()}});
      std::filesystem::remove(file);
      CHECK(tuned.scenario.controller.terms()[1].kind() == "joint_pid");
      CHECK(controller_yaml(tuned, tuned.scenario.controller) == law);
      const FrfEstimate closed = measured(run_scenario(tuned), b.joint);
      REQUIRE(closed.sensitivity);
      const PlantResponse S = lines_between(*closed.sensitivity, 1, 150);
      double worst = 0;
      for (std::size_t k = 0; k < S.frequency.size(); ++k) {
        const std::complex<double> expected =
            1.0 / (1.0 + truth.response[k] * tuning.controller.response(S.frequency[k]));
        worst = std::max(worst, std::abs(S.response[k] / expected - 1.0));
      }
      CHECK(worst < 0.02);
    }
}

TEST_CASE("gains go into the one law that takes them, and filters of other joints stay") {
  const std::string text = R"(scenario: x
robot: rrr
controller: {kind: computed_torque, kp: 100, kd: 20, filters: [{frequency: 50 Hz}]}
)";
  const LoadedScenario loaded = scenario_from_text(text, "x.yaml");
  LoopController c{.kp = 900, .kd = 60};
  c.filters = {{.frequency = 80}, {.kind = FilterSettings::Kind::low_pass, .frequency = 200}};
  const std::string law = controller_yaml(loaded, with_tuned_joint(loaded, loaded.scenario.controller, 2, c, "1/s^2"));
  std::string changed = text.substr(0, text.find("controller"));
  const LoadedScenario again = scenario_from_text(changed + law, "y.yaml");
  CHECK(controller_yaml(again, again.scenario.controller) == law);
  CHECK(law.find("kp: [100 1/s^2, 900 1/s^2, 100 1/s^2]") != std::string::npos);
  std::size_t filters = 0;
  for (std::size_t at = law.find("- kind: "); at != std::string::npos; at = law.find("- kind: ", at + 1)) ++filters;
  CHECK(filters == 4);  // 50 Hz at joints 1 and 3, two at joint 2
  const auto refused = [&](int joint, const std::string& unit, const char* says) {
    CHECK_THROWS_WITH_AS(with_tuned_joint(loaded, loaded.scenario.controller, joint, c, unit), doctest::Contains(says),
                         Error);
  };
  refused(4, "1/s^2", "there is no joint 4");
  refused(1, "N m", "which the law 'computed_torque' does not give");
  const LoadedScenario none = scenario_from_text("scenario: x\nrobot: rrr\ncontroller: {kind: gravity}\n", "x.yaml");
  CHECK_THROWS_WITH_AS(with_tuned_joint(none, none.scenario.controller, 1, c, ""), doctest::Contains("has 0 laws"),
                       Error);
}

TEST_CASE("a law with filters counts samples: it does not act continuously") {
  const std::string text = R"(scenario: x
robot: rrr
controller: {kind: joint_pid, kp: 100, ki: 0, kd: 20, continuous: true, filters: [{frequency: 50 Hz}]}
)";
  CHECK_THROWS_WITH_AS(build(scenario_from_text(text, "x.yaml")), doctest::Contains("works sample by sample"),
                       FormatError);
}
