#include "armature/report/internal/arm_picture.hpp"

#include <cmath>

#include "armature/run/loaded_scenario.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::report;

TEST_CASE("the picture of an arm ends where its tool was, and a vertical metre is as long everywhere") {
  const std::string text = R"(scenario: s
robot: rpr
start: {q: [0.3, 0.2 m, -0.4]}
reference: {kind: hold, to: [0.5, 0.1 m, 0.2]}
controller: {kind: computed_torque, kp: 100, kd: 20}
run: {duration: 0.3 s, tick: 1 ms}
)";
  const Log log = run::run_scenario(run::scenario_from_text(text, "s.yaml"));
  const Figure picture = arm_picture(log);
  REQUIRE(picture.series.size() == 4);
  const FigureSeries &first = picture.series[1], &last = picture.series[3];
  // the tool by the simulation's own kinematics, seen along (0.62, -0.95, 0.5)
  const double nx = 0.62, ny = -0.95, nz = 0.5, flat = std::hypot(nx, ny), n = std::hypot(flat, nz);
  const auto seen = [&](std::size_t row) {
    const auto at = [&](const char* name) { return log.channel(name).values[row]; };
    const double x = at("tool_x"), y = at("tool_y"), z = at("tool_z");
    return std::pair{(-ny * x + nx * y) / flat, (flat * z - nz * (nx * x + ny * y) / flat) / n};
  };
  const auto [x0, y0] = seen(0);
  const auto [x1, y1] = seen(log.time.size() - 1);
  CHECK(first.x.back() == doctest::Approx(x0).epsilon(1e-9));
  CHECK(first.y.back() == doctest::Approx(y0).epsilon(1e-9));
  CHECK(last.x.back() == doctest::Approx(x1).epsilon(1e-9));
  CHECK(last.y.back() == doctest::Approx(y1).epsilon(1e-9));
  CHECK(picture.series[0].x[0] == first.x.back());
  CHECK(arm_picture(Log{}).series.empty());
}
