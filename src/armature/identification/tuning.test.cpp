#include "armature/identification/tuning.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;

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
  c.kp = 400, c.kd = 40, c.tick = 1e-6;
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
  c.kp = 1, c.notches = {{80, 0.1, 0.7}};
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
  twice.kp *= 1.9, twice.kd *= 1.9;
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
