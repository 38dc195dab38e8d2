// Gains by posture, as scenarios give them.
#include <cmath>
#include <string>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::run;

namespace {

Log held_with(const std::string& controller, const std::string& elbow) {
  return run_scenario(scenario_from_text("scenario: x\nrobot: planar3r\nstart: {q: [30 deg, " + elbow +
                                             ", 50 deg]}\nreference: {kind: hold, to: [31 deg, " + elbow +
                                             ", 50 deg]}\ncontroller: {" + controller +
                                             "}\nrun: {duration: 50 ms, tick: 1 ms}\n",
                                         "x.yaml"));
}

const std::string table =
    "kind: scheduled_pd, by_joint: 2, at: [0 deg, 45 deg, 90 deg], kp: [[100, 100, 100], [200, 200, 200], [800, 800, "
    "800]], "
    "kd: [[10, 10, 10], [20, 20, 20], [40, 40, 40]]";

double first_torque(const Log& log) { return log.channel("u_joint1").values.front(); }

}  // namespace

TEST_CASE("gains lie on straight lines between the postures of the table, and stay beyond its ends") {
  const auto stiffness = [](const std::string& elbow) {
    return first_torque(held_with(table, elbow)) / (pi / 180);
  };
  CHECK(std::abs(stiffness("45 deg") - 200) < 1e-9);
  CHECK(std::abs(stiffness("22.5 deg") - 150) < 1e-9);
  CHECK(std::abs(stiffness("67.5 deg") - 500) < 1e-9);
  CHECK(std::abs(stiffness("-20 deg") - 100) < 1e-9);
  CHECK(std::abs(stiffness("120 deg") - 800) < 1e-9);
}

TEST_CASE("a table with the same gains everywhere is plain PD control") {
  const Log scheduled = held_with(
      "kind: scheduled_pd, by_joint: 2, at: [0, 1], kp: [[90, 80, 70], [90, 80, 70]], kd: [[9, 8, 7], [9, 8, 7]]",
      "40 deg");
  const Log plain = held_with("kind: joint_pd, kp: [90, 80, 70], kd: [9, 8, 7]", "40 deg");
  CHECK(scheduled.channel("q1").values == plain.channel("q1").values);
}

TEST_CASE("a table that does not fit is refused at its key") {
  for (const char* wrong :
       {"kind: scheduled_pd, by_joint: 4, at: [0, 1], kp: [[1, 1, 1], [1, 1, 1]], kd: [[1, 1, 1], [1, 1, 1]]",
        "kind: scheduled_pd, by_joint: 2, at: [1, 1], kp: [[1, 1, 1], [1, 1, 1]], kd: [[1, 1, 1], [1, 1, 1]]",
        "kind: scheduled_pd, by_joint: 2, at: [0, 1], kp: [[1, 1, 1]], kd: [[1, 1, 1], [1, 1, 1]]",
        "kind: scheduled_pd, by_joint: 2, at: [0, 1], kp: [[1, 1], [1, 1]], kd: [[1, 1, 1], [1, 1, 1]]",
        "kind: scheduled_pd, by_joint: 2, at: [0, 1], kp: [[1, 1, -1], [1, 1, 1]], kd: [[1, 1, 1], [1, 1, 1]]"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(held_with(wrong, "0 deg"), Error);
  }
}
