#include "armature/run/internal/reference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::run;

namespace {

LoadedScenario with_reference(const std::string& robot, const std::string& start, const std::string& reference) {
  return scenario_from_text("scenario: x\nrobot: " + robot + "\nstart: {q: " + start + "}\nreference: " + reference +
                                "\ncontroller: {kind: open_loop}\n",
                            "x.yaml");
}

struct Asked {
  LoadedScenario loaded;
  ReferenceSource source;
  std::vector<std::string> warnings;
  Asked(const std::string& robot, const std::string& start, const std::string& reference)
      : loaded(with_reference(robot, start, reference)) {
    VecX<double> q = Eigen::Map<const Eigen::VectorXd>(loaded.scenario.start.q.data(), loaded.arm.dof());
    source = reference_of(loaded, q, warnings);
  }
  [[nodiscard]] Reference at(double t) const {
    Reference r;
    source(t, r);
    return r;
  }
};

const char* puma = "[10 deg, 20 deg, 130 deg, 15 deg, 40 deg, 5 deg]";

}  // namespace

TEST_CASE(
    "joints and tool of every reference are one motion: positions agree, velocities and accelerations are their "
    "rates") {
  struct Kind {
    const char* robot;
    const char* start;
    const char* reference;
  };
  const Kind kinds[] = {
      {"rrr", "[0.1, 0.2, 0.9]", "{kind: polynomial, to: [1, 0.5, 0.3], duration: 1 s}"},
      {"rpr", "[0.4, 100 mm, 0.3]", "{kind: sine, amplitude: [0.5, 50 mm, 0.3], frequency: [0.5 Hz], phase: [0.3]}"},
      {"puma560", puma,
       "{kind: spline, times: [0, 0.5 s, 1 s], waypoints: [[0,0,0,0,0,0],[1,1,1,1,1,1],[0,1,0,1,0,1]]}"},
      {"puma560", puma, "{kind: line, points: [[0.5, 0.2, 0.3]], duration: 1 s}"},
      {"puma560", puma,
       "{kind: line, points: [[0.5, 0.2, 0.3]], rpy: [0.1, 0.4, 0.2], path_speed: 1 m/s, path_acceleration: 3 m/s^2, "
       "path_jerk: 20 m/s^3}"},
      {"planar3r", "[0.4, 0.6, 0.5]",
       "{kind: arc, points: [[0.3, 0.6, 0], [0.1, 0.7, 0]], duration: 1 s, task: position}"},
      {"planar3r", "[0.4, 0.6, 0.5]", "{kind: line, points: [[0.3, 0.6, 0]], rpy: [0, 0, 100 deg], duration: 1 s}"},
      {"rrr", "[0.3, 0.2, 0.9]",
       "{kind: circle, points: [[0.43, -0.1, 1.0], [0.4, 0, 1.05]], duration: 1 s, turns: -1}"},
      {"rrr", "[0.3, 0.2, 0.9]",
       "{kind: writing, duration: 4 s, writing: {text: romy, width: 150 mm, smoothing: 0.3, xyz: [0.5, -0.1, 0.55], "
       "rpy: [90 deg, 0, 90 deg]}}"},
  };
  for (const Kind& kind : kinds) {
    CAPTURE(std::string(kind.reference));
    const Asked asked(kind.robot, kind.start, kind.reference);
    CHECK(asked.warnings.empty());
    const Arm& arm = asked.loaded.believed;
    const double h = 1e-5;
    for (const double t : {0.21, 0.47, 0.83}) {
      const Reference r = asked.at(t), before = asked.at(t - h), after = asked.at(t + h);
      const Pose<double> X = tool_pose(arm, forward_kinematics<double>(arm, r.q));
      CHECK((X.p - r.X_WT.p).norm() < 1e-9);
      CHECK(log_map(X.R * r.X_WT.R.transpose()).norm() < 1e-8);
      CHECK(((after.q - before.q) / (2 * h) - r.qd).norm() < 1e-5 * (1 + r.qd.norm()));
      CHECK(((after.qd - before.qd) / (2 * h) - r.qdd).norm() < 1e-4 * (1 + r.qdd.norm()));
      CHECK(((after.X_WT.p - before.X_WT.p) / (2 * h) - r.twist.head<3>()).norm() < 1e-5 * (1 + r.twist.norm()));
      CHECK((log_map(after.X_WT.R * before.X_WT.R.transpose()) / (2 * h) - r.twist.tail<3>()).norm() <
            1e-5 * (1 + r.twist.norm()));
      CHECK(((after.twist - before.twist) / (2 * h) - r.acceleration).norm() < 1e-4 * (1 + r.acceleration.norm()));
    }
  }
}

TEST_CASE("a step waits, a pose is asked for at once, a repeated motion starts again") {
  const Asked step("rrr", "[0, 0, 0]", "{kind: step, to: [1, 1, 1], begin: 0.5 s}");
  CHECK(step.at(0.49).q.norm() == 0);
  CHECK(step.at(0.5).q[2] == 1);
  const Asked pose("planar3r", "[0.4, 0.6, 0.5]", "{kind: pose, points: [[0.5, 0.5, 0]], begin: 1 s}");
  CHECK((pose.at(1.0).X_WT.p - Vec3<double>(0.5, 0.5, 0)).norm() < 1e-12);
  CHECK((pose.at(0.5).q - pose.at(0).q).norm() < 1e-9);
  CHECK(pose.at(0.5).q[0] == doctest::Approx(0.4));
  const Asked again("rrr", "[0, 0, 0]", "{kind: polynomial, to: [1, 1, 1], duration: 1 s, repeat: 3, begin: 0.5 s}");
  CHECK((again.at(2.8).q - again.at(0.8).q).norm() < 1e-12);
  CHECK(again.at(9).q[0] == doctest::Approx(1));
}

TEST_CASE("a table of positions, speeds and accelerations is the motion it was sampled from, whatever its units") {
  const Asked asked("rpr", "[0.4, 100 mm, 0.3]", "{kind: polynomial, to: [1, 0, 0.6], duration: 1 s}");
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "armature_reference_test.csv";
  std::FILE* out = std::fopen(file.c_str(), "w");
  REQUIRE(out != nullptr);
  fmt::print(out, "time [s],q1 [deg],q2 [mm],q3,v1 [deg/s],v2 [m/s],v3,a1,a2,a3\n");
  for (int k = 0; k <= 10; ++k) {
    const Reference r = asked.at(k / 10.0);
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{}\n", 5 + k / 10.0, r.q[0] / deg, r.q[1] * 1e3, r.q[2], r.qd[0] / deg,
               r.qd[1], r.qd[2], r.qdd[0], r.qdd[1], r.qdd[2]);
  }
  std::fclose(out);
  const Asked again("rpr", "[0.4, 100 mm, 0.3]",
                    fmt::format("{{kind: table, table: {}, begin: 0.5 s}}", file.string()));
  std::filesystem::remove(file);
  for (double t = 0; t < 1.3; t += 0.03) {
    const Reference r = asked.at(t), s = again.at(t + 0.5);
    CHECK((r.q - s.q).norm() < 1e-12);
    CHECK((r.qd - s.qd).norm() < 1e-10);
    CHECK((r.qdd - s.qdd).norm() < 1e-8);
  }
}

TEST_CASE("a point out of reach is said, with the distance that is missing") {
  const Asked asked("planar3r", "[0.4, 0.6, 0.5]", "{kind: pose, points: [[0, 1.5, 0]]}");
  REQUIRE(asked.warnings.size() == 1);
  CHECK(asked.warnings[0].find("no nearer to it than 0.5 m") != std::string::npos);
  CHECK((asked.at(0).X_WT.p - Vec3<double>(0, 1.5, 0)).norm() < 1e-12);
}

TEST_CASE("noise on the reference is a function of time, of the asked deviation, and of the seed") {
  const Asked asked("rrr", "[0, 0, 0]", "{kind: hold, noise: [0.02, 0.02, 0.02]}");
  double sum = 0, squares = 0;
  for (int k = 0; k < 4000; ++k) {
    const double x = asked.at(k * 1e-3).q[1];
    sum += x;
    squares += x * x;
    CHECK(asked.at(k * 1e-3 + 4e-4).q[1] == x);
  }
  CHECK(std::abs(sum / 4000) < 4 * 0.02 / std::sqrt(4000.0));
  CHECK(std::sqrt(squares / 4000) == doctest::Approx(0.02).epsilon(0.05));
}

TEST_CASE("the wanted push changes at its times") {
  const Asked asked("rrr", "[0, 0, 0]", "{push: [{from: 1 s, force: [0, 0, 3 N]}, {from: 2 s, force: [1 N, 0, 0]}]}");
  CHECK(asked.at(0.5).wrench.norm() == 0);
  CHECK(asked.at(1.5).wrench[2] == 3);
  CHECK(asked.at(2).wrench[0] == 1);
  CHECK(asked.at(2).wrench[2] == 0);
}
