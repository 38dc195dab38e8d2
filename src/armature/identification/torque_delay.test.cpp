#include "armature/identification/torque_delay.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

TEST_CASE("torques are moved by any share of a step, and by whole steps without a change") {
  MotionBlock log;
  log.step = 0.01;
  const Eigen::Index rows = 400;
  log.q.resize(rows, 1);
  log.tau.resize(rows, 1);
  const auto torque = [](double t) { return std::sin(2 * pi * 1.5 * t) + 0.3 * t; };
  for (Eigen::Index k = 0; k < rows; ++k) {
    log.q(k, 0) = static_cast<double>(k);
    log.tau(k, 0) = torque(0.01 * static_cast<double>(k));
  }
  for (const double steps : {-7.0, -2.5, -0.5, 0.0, 0.25, 0.5, 1.0, 3.75, 40.0}) {
    CAPTURE(steps);
    Eigen::Index k = 0;
    double worst = 0;
    with_torque_delay(source_of(log), 1, steps * log.step).for_each([&](const JointSample& s) {
      CHECK(s.q[0] == static_cast<double>(k));
      if (k > 50 && k < rows - 50)
        worst = std::max(worst, std::abs(*s.tau - torque(0.01 * (static_cast<double>(k) + steps))));
      ++k;
    });
    CHECK(k == rows);
    // third degree: error at most 3/128 h⁴ |d⁴|; whole steps: none but that of the time itself
    CHECK(worst <= (steps == std::floor(steps) ? 1e-12 : 1.01 * 3.0 / 128 * std::pow(0.01 * 2 * pi * 1.5, 4)));
  }
  CHECK_THROWS_WITH_AS(with_torque_delay(source_of(log), 1, 20), doctest::Contains("2000 steps"), Error);
}

TEST_CASE("the delay of a log's torques is found in the log") {
  const Arm arm = testing::built_in_arm("rpr");
  const TorqueModel model(arm);
  const MotionBlock log = synthetic_log(arm, {.duration = 10, .rate = 500, .torque_noise = 0.01});
  const MotionSource source = source_of(log);
  const Processing processing{.cutoff = 50, .decimation = 5, .parallel_cutoff = 40, .standstill = 0.05, .edge = 0.05};
  for (const double delay : {-1e-3, 3e-3}) {
    const FoundDelay found = find_torque_delay(model, with_torque_delay(source, arm.dof(), -delay), processing);
    CHECK(std::abs(found.delay - delay) < 1e-4);
    CHECK(found.error < found.error_before);
  }
}
