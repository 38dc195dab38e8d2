#include <cmath>
#include <filesystem>
#include <fstream>

#include "armature/control/joint_pd.hpp"
#include "armature/control/null_space.hpp"
#include "armature/core/error.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::run;

namespace {

const std::string reach = R"(scenario: reach
robot: rrr
reference: {kind: polynomial, to: [20 deg, 10 deg, -10 deg], duration: 0.2 s}
controller: {kind: joint_pd, kp: [800 N*m/rad, 800 N*m/rad, 300 N*m/rad], kd: [60 N*m*s/rad, 60 N*m*s/rad, 15 N*m*s/rad]}
run: {duration: 0.3 s, tick: 1 ms}
)";

}  // namespace

TEST_CASE("every scenario of the project runs to its end and keeps its books") {
  const std::filesystem::path folder = std::filesystem::path(testing::source_folder) / "scenarios";
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    CAPTURE(file.path().string());
    ++count;
    const LoadedScenario loaded = load_scenario(file.path().string(), {{"run.duration", "0.4 s"}});
    CHECK(!loaded.scenario.question.empty());
    const Log log = run_scenario(loaded);
    CHECK(log.incomplete.empty());
    double supplied = 1;
    for (const double e : log.channel("energy_supplied").values) supplied = std::max(supplied, std::abs(e));
    for (const double e : log.channel("energy_error").values) REQUIRE(std::abs(e) < 1e-5 * supplied);
  }
  CHECK(count >= 25);
}

TEST_CASE("a scenario written out reads back as the same and gives the same log, bit for bit") {
  const LoadedScenario loaded = scenario_from_text(reach, "reach.yaml");
  const LoadedScenario again = scenario_from_text(loaded.text, "again.yaml");
  CHECK(again.text == loaded.text);
  const Log a = run_scenario(loaded), b = run_scenario(again);
  for (std::size_t i = 0; i < a.channels.size(); ++i) CHECK(a.channels[i].values == b.channels[i].values);
}

TEST_CASE("every example, written out with its defaults, reads back as the same law: the log is the same") {
  const std::filesystem::path folder = std::filesystem::path(testing::source_folder) / "scenarios";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    CAPTURE(file.path().string());
    const LoadedScenario loaded = load_scenario(file.path().string(), {{"run.duration", "0.05 s"}});
    const LoadedScenario again = scenario_from_text(loaded.text, "again.yaml");
    CHECK(again.text == loaded.text);
    const Log a = run_scenario(loaded), b = run_scenario(again);
    REQUIRE(a.channels.size() == b.channels.size());
    for (std::size_t i = 0; i < a.channels.size(); ++i) CHECK(a.channels[i].values == b.channels[i].values);
  }
}

TEST_CASE("a setting given on the command line replaces the file's") {
  const LoadedScenario loaded = scenario_from_text(
      reach, "reach.yaml", {{"run.duration", "0.1 s"}, {"sensors.encoder", "1e-3"}, {"controller.kp", "[1, 2, 3]"}});
  CHECK(loaded.scenario.run.duration == 0.1);
  CHECK(loaded.scenario.run.sensors.encoder_resolution == 1e-3);
  ControllerSettings controller = loaded.scenario.controller;
  CHECK(controller.as<JointPdSettings>().kp == VecX<double>(Vec3<double>(1, 2, 3)));
}

TEST_CASE("every law that has a page of its own has an example") {
  const std::filesystem::path root = testing::source_folder;
  std::string all;
  for (const auto& file : std::filesystem::directory_iterator(root / "scenarios"))
    all += read_text_file(file.path().string(), 1 << 20);
  CHECK(law_kinds().size() > 20);
  for (const LawKind* kind : law_kinds()) {
    CAPTURE(kind->name);
    if (exists(root / "docs" / "laws" / (std::string(kind->name) + ".md")))
      CHECK(all.find("kind: " + std::string(kind->name)) != std::string::npos);
  }
}

TEST_CASE("a mistyped key is named, placed and guessed") {
  CHECK_THROWS_WITH_AS(scenario_from_text("scenario: x\nrobot: rrr\ncontroler: {kp: [1, 1, 1]}\n", "reach.yaml"),
                       doctest::Contains("reach.yaml:3:1: "), FormatError);
  CHECK_THROWS_WITH_AS(scenario_from_text("scenario: x\nrobot: rrr\ncontroler: {kp: [1, 1, 1]}\n", "reach.yaml"),
                       doctest::Contains("did you mean 'controller'?"), FormatError);
}

TEST_CASE("wrong scenarios are refused with place and hint") {
  struct Bad {
    const char* text;
    const char* message;
  };
  const Bad bad[] = {
      {"scenario: x\n", "robot"},
      {"robot: rrr\n", "scenario"},
      {"scenario: x\nrobot: rrr\n", "the law 'joint_pd' needs the key 'kp'"},
      {"scenario: x\nrobot: rrrr\n", "rrr"},
      {"scenario: x\nrobot: rrr\nrun: {duration: 2 m}\n", "duration"},
      {"scenario: x\nrobot: rrr\nrun: {duration: -1 s}\ncontroller: {kind: open_loop}\n", "greater than zero"},
      {"scenario: x\nrobot: rrr\nrun: {tick: 0 s}\ncontroller: {kind: open_loop}\n", "greater than zero"},
      {"scenario: x\nrobot: rrr\nrun: {methods: rk4}\n", "did you mean 'method'?"},
      {"scenario: x\nrobot: rrr\nrun: {method: rk5}\n", "rk4"},
      {"scenario: x\nrobot: rrr\nseed: 1.5\n", "whole number"},
      {"scenario: x\nrobot: rrr\nstart: {q: [1, 2]}\n", "one number for all joints, or one for each: 3"},
      {"scenario: x\nrobot: rrr\nstart: {q: [90, 0, 0]}\n", "deg"},
      {"scenario: x\nrobot: rrr\nstart: {q: [1 m, 0, 0]}\n", "not a quantity"},
      {"scenario: x\nrobot: rrr\ncontroller: {kp: [1, 1, 1]}\n", "kd"},
      {"scenario: x\nrobot: rrr\ncontroller: {kp: [1, 1, -1], kd: [1, 1, 1]}\n", "negative"},
      {"scenario: x\nrobot: rrr\ncontroller: {kind: magic}\n", "joint_pd"},
      {"scenario: x\nrobot: rrr\nplant: {friction: maybe}\n", "true"},
      {"scenario: x\nrobot: rrr\nplant: {walls: [{stiffness: -1 N/m}]}\ncontroller: {kind: open_loop}\n", "stiffness"},
      {"scenario: x\nrobot: rrr\nplant: {command: current}\ncontroller: {kind: open_loop}\n", "torque constant"},
      {"scenario: x\nrobot: rrr\nreference: {kind: spline}\ncontroller: {kind: open_loop}\n", "times"},
      {"scenario: x\nrobot: rrr\nreference: {kind: polynomial, order: 4}\ncontroller: {kind: open_loop}\n",
       "3, 5 and 7"},
      {"scenario: x\nrobot: puma560\nplant: {stick: exact}\nrun: {method: rk4}\ncontroller: {kind: open_loop}\n",
       "cvode"},
      {"scenario: x\nrobot: rrr\nplant: {wrenches: [{to: 1 s, profile: sine}]}\ncontroller: {kind: open_loop}\n",
       "frequency"},
      {"scenario: x\nrobot: rrr\nplant: {wrenches: [{to: 1 s, profile: table}]}\ncontroller: {kind: open_loop}\n",
       "FILE.csv"},
      {"scenario: x\nrobot: rrr\nplant: {wrenches: [{to: 1 s, profile: table, table: none.csv}]}\ncontroller: {kind: "
       "open_loop}\n",
       "none.csv"},
      {"scenario: x\nrobot: rrr\nsensors: {encoder: 1 mm}\ncontroller: {kind: open_loop}\n", "not a quantity"},
      {"scenario: x\nrobot: rrr\nconverter: {bits: 12}\ncontroller: {kind: open_loop}\n", "range"},
      {"scenario: x\nrobot: rrr\nsensors: {bits: 12}\ncontroller: {kind: open_loop}\n", "range"},
      {"scenario: x\nrobot: rrr\nsensors: {delay: -1}\ncontroller: {kind: open_loop}\n", "delay"},
      {"scenario: [x]\nrobot: rrr\n", "scenario"},
      {"- x\n", "scenario"},
  };
  for (const auto& [text, message] : bad) {
    CAPTURE(std::string(text));
    bool refused = false;
    try {
      LoadedScenario loaded = scenario_from_text(text, "bad.yaml");
      run_scenario(loaded);
    } catch (const Error& error) {
      refused = true;
      CAPTURE(error.what());
      CHECK(std::string(error.what()).find(message) != std::string::npos);
      CHECK(!error.hint().empty());
      CHECK(error.place().file.find("bad.yaml") == 0);
    }
    CHECK(refused);
  }
}

TEST_CASE("every key is listed with its meaning") {
  const auto keys = scenario_keys();
  CHECK(keys.size() > 60);
  for (const SettingKey& key : keys) CHECK(!key.meaning.empty());
}

TEST_CASE("angles of sensors, laws and guards may be given in degrees") {
  const std::string law = "controller: {kind: joint_limit_avoidance, kp: [1, 1, 1], margin: ";
  const auto loaded = [&](const std::string& unit, const std::string& factor) {
    return scenario_from_text("scenario: x\nrobot: rrr\nsensors: {encoder: " + factor + unit + "}\n" + law + factor +
                                  unit + ", safety: {limit_margin: " + factor + unit + ", largest_jump: " + factor +
                                  unit + "}, collision: {retract_distance: " + factor + unit + "}}\n",
                              "x.yaml")
        .scenario;
  };
  Scenario a = loaded(" deg", "18"), b = loaded("", "0.3141592653589793");
  CHECK(a.run.sensors.encoder_resolution == doctest::Approx(b.run.sensors.encoder_resolution));
  CHECK(a.controller.as<JointLimitAvoidanceSettings>().margin ==
        doctest::Approx(b.controller.as<JointLimitAvoidanceSettings>().margin));
  CHECK(a.controller.safety.limit_margin == doctest::Approx(b.controller.safety.limit_margin));
  CHECK(a.controller.safety.largest_jump == doctest::Approx(b.controller.safety.largest_jump));
  CHECK(a.controller.collision.retract_distance == doctest::Approx(b.controller.collision.retract_distance));
}

TEST_CASE("a push is read from a table beside the scenario") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "armature_push_table";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "push.csv") << "time [s],force_z [N]\n0,0\n0.2,10\n0.4,0\n";
  const std::string text =
      "scenario: x\nrobot: rrr\nplant: {wrenches: [{from: 0.1 s, to: 0.5 s, profile: table, table: push.csv}]}\n"
      "controller: {kind: open_loop}\nrun: {duration: 0.6 s}\n";
  const Log log = run_scenario(scenario_from_text(text, (folder / "x.yaml").string()));
  const auto force = [&](double t) { return log.channel("force_z").values[std::lround(t * 1000)]; };
  CHECK(force(0.05) == 0);
  CHECK(force(0.2) == doctest::Approx(5));
  CHECK(force(0.3) == doctest::Approx(10));
  CHECK(force(0.45) == doctest::Approx(2.5));
  CHECK(force(0.55) == 0);
  std::filesystem::remove_all(folder);
}
