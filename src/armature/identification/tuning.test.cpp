#include "armature/identification/tuning.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

namespace {

/// 1/(J s²) with a mode, held for a tick.
PlantResponse flexible(double J, double f0, double zeta, double strength, double tick = 1e-3) {
  PlantResponse p{"J = " + std::to_string(J), {}, {}};
  for (double f = 0.25; f < 0.45 / tick; f += 0.25) {
    const std::complex<double> s(0, 2 * pi * f);
    const double w = 2 * pi * f0;
    p.frequency.push_back(f);
    p.response.push_back((1.0 / (J * s * s) + strength / J / (s * s + 2 * zeta * w * s + w * w)) *
                         (1.0 - std::exp(-s * tick)) / (s * tick));
  }
  return p;
}

}  // namespace

TEST_CASE("margins of a double integrator with PD are those of the formula") {
  const PlantResponse plant = flexible(1, 1e4, 1, 0, 1e-6);  // hardly any delay
  LoopController c;
  c.kp = 400;
  c.kd = 40;
  c.tick = 1e-6;
  const LoopMargins m = loop_margins(plant, c);
  // |L| = 1: w⁴ = 400² + 40² w²
  const double w2 = 800 + std::sqrt(800.0 * 800 + 160000), w = std::sqrt(w2);
  CHECK(m.stable);
  CHECK(m.bandwidth == doctest::Approx(w / (2 * pi)).epsilon(1e-3));
  CHECK(m.phase == doctest::Approx(std::atan2(40 * w, 400)).epsilon(1e-3));
  c.kd = -40;
  CHECK_FALSE(loop_margins(plant, c).stable);
}

TEST_CASE("a notch has its depth at its frequency and is gone far away") {
  LoopController c;
  c.kp = 1;
  c.filters = {{.frequency = 80, .damping = 0.7, .zero_damping = 0.1}};
  CHECK(std::abs(c.response(80)) == doctest::Approx(0.1 / 0.7).epsilon(1e-9));
  CHECK(std::abs(c.response(0.1)) == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("the loop is as fast as the margins allow in every posture, and faster with notches") {
  const std::vector<PlantResponse> plants{flexible(1.0, 85, 0.02, -0.5), flexible(1.4, 95, 0.02, -0.4)};
  TuningSettings s;
  s.notches = 0;
  const Tuning plain = tune(plants, s);
  s.notches = 2;
  const Tuning notched = tune(plants, s);
  for (const Tuning* t : {&plain, &notched})
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(t->margins[k].stable);
      CHECK(t->margins[k].gain >= 6);
      CHECK(t->margins[k].phase >= 30 * deg);
      CHECK(t->margins[k].sensitivity <= 6);
    }
  CHECK(notched.margins[0].bandwidth > 1.2 * plain.margins[0].bandwidth);
  LoopController twice = notched.controller;  // 6 dB more gain: at the edge, not beyond
  twice.kp *= 1.9;
  twice.kd *= 1.9;
  CHECK(loop_margins(plants[0], twice).stable);
  CHECK(loop_margins(plants[1], twice).stable);
}

TEST_CASE("margins that no controller has are refused with the posture that fails") {
  TuningSettings s;
  s.phase_margin = 89 * deg;
  CHECK_THROWS_WITH_AS(tune({flexible(1, 85, 0.02, 0.5)}, s), doctest::Contains("no controller keeps the margins"),
                       Error);
  CHECK_THROWS_AS(tune({}, {}), Error);
}

//  An inertia behind a hold: q = T²/(2 J) (z + 1)/(z - 1)² tau, qd = T/J 1/(z - 1) tau.
TEST_CASE("a controller that reads a tachometer is the position's controller that does the same to an inertia") {
  const double T = 1e-3, J = 2.5;
  const LoopController c{.kp = 300, .kd = 25, .tick = T, .speed = SensorSettings::Speed::tachometer};
  for (const double f : {1.0, 10.0, 50.0, 200.0}) {
    const std::complex<double> z = std::polar(1.0, 2 * pi * f * T);
    const std::complex<double> q = T * T / (2 * J) * (z + 1.0) / ((z - 1.0) * (z - 1.0)), v = T / J / (z - 1.0);
    CHECK(std::abs(c.kp * q + c.kd * v - c.response(f) * q) < 1e-12 * std::abs(c.kp * q));
  }
}

TEST_CASE("a search that ends at its bound says so, and a command that must not grow bounds the gain") {
  const std::vector<PlantResponse> plants{flexible(1.0, 85, 0.02, -0.5)};
  const Tuning low = tune(plants, {.to = 4}), free = tune(plants, {});
  CHECK(low.at_bound);
  CHECK(low.crossover <= 4);
  CHECK_FALSE(free.at_bound);
  CHECK_FALSE(free.at_limit);
  const double step = 0.1, limit = 0.3 * step * free.controller.step_command();
  const Tuning bounded = tune(plants, {.step = step, .limit = limit});
  CHECK(bounded.at_limit);
  CHECK(bounded.controller.step_command() * step <= limit);
  CHECK(bounded.margins[0].bandwidth < free.margins[0].bandwidth);
  CHECK(bounded.margins[0].phase >= 30 * deg);
  CHECK_THROWS_WITH_AS(tune(plants, {.step = 1, .limit = 1e-9}), doctest::Contains("asks for more than"), NoController);
  CHECK_THROWS_WITH_AS(tune(plants, {.step = 1}), doctest::Contains("give both, or neither"), Error);
  // what a jump of the error asks for: behind a lead most at once
  LoopController c{.kp = 2};
  CHECK(c.step_command() == 2);
  c.filters = {{.kind = FilterSettings::Kind::lead, .frequency = 10, .pole = 100}};
  const double w = 2 * pi * 10, K = w / std::tan(w * c.tick / 2);  // s = K (1 - z⁻¹)/(1 + z⁻¹), at first K
  CHECK(c.step_command() == doctest::Approx(2 * (1 + K / w) / (1 + K / (10 * w))));
}

TEST_CASE("a low-pass at a multiple of the crossover is part of the loop that keeps the margins") {
  const std::vector<PlantResponse> plants{flexible(1.0, 85, 0.02, -0.5)};
  const Tuning t = tune(plants, {.notches = 0, .roll_off = 8});
  REQUIRE(t.controller.filters.size() == 1);
  CHECK(t.controller.filters[0].kind == FilterSettings::Kind::low_pass);
  CHECK(t.controller.filters[0].frequency == doctest::Approx(8 * t.crossover));
  CHECK(loop_margins(plants[0], t.controller).phase >= 30 * deg);
}

TEST_CASE("a loop is not tuned beyond the lines that were measured") {
  PlantResponse plant = flexible(1.0, 1e4, 1, 0);  // an inertia: as fast as one likes, but for the hold
  const Tuning all = tune({plant}, {});
  while (plant.frequency.back() > 20) {
    plant.frequency.pop_back();
    plant.response.pop_back();
  }
  const Tuning some = tune({plant}, {});
  CHECK(all.margins[0].bandwidth > 20);
  CHECK(some.margins[0].rest <= -6);  // whatever comes beyond, the gain margin is kept
  CHECK(some.margins[0].bandwidth < 12);
}
