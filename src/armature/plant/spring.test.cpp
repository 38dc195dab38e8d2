// A spring gives back what was put into it, less what its damper and its hysteresis lose.
#include "armature/plant/internal/spring_law.hpp"

#include <array>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::plant;

namespace {

Spring random_spring(Random& random) {
  Spring s{.name = "gear", .driver = 2, .driven = 0};
  s.ratio = random.uniform(1, 100);
  s.stiffness = random.uniform(10, 1e4);
  s.hardening = random.uniform(0, 1e4);
  s.damping = random.uniform(0, 10);
  s.backlash = random.uniform(0, 0.01);
  s.rest = random.uniform(-0.1, 0.1);
  s.error_amplitude = random.uniform(0, 1e-3);
  s.error_order = 2;
  return s;
}

using Axes = std::array<double, 3>;

Axes moved(const Axes& y, const Axes& v, double h) { return {y[0] + h * v[0], y[1] + h * v[1], y[2] + h * v[2]}; }

double power_on_axes(const Forces<double>& f, const Axes& v) {
  return f.drive[0] * v[0] + f.drive[1] * v[1] + f.drive[2] * v[2];
}

}  // namespace

TEST_CASE("the power of a spring on its axes is what leaves its energy, less what its damper takes") {
  Random random(1);
  for (int k = 0; k < 500; ++k) {
    Spring s = random_spring(random);
    if (k % 2) {  // one motor turns two joints
      s.driven = ground;
      s.coupled = {{0, 1.0}, {1, random.uniform(-1, 1)}};
    }
    Axes y, v;
    for (double& x : y) x = random.uniform(-1, 1);
    for (double& x : v) x = random.uniform(-2, 2);
    const int side = s.backlash > 0 ? (k % 3 ? 1 : -1) : 0;
    Forces<double> f(3, 0);
    act<double>(s, y.data(), v.data(), side, nullptr, nullptr, f);
    const auto energy = [&](double h) {
      return elastic_energy(s, compression(s, twist<double>(s, moved(y, v, h).data()), side));
    };
    constexpr double h = 1e-6;
    const double gained = (energy(h) - energy(-h)) / (2 * h);
    CHECK(std::abs(power_on_axes(f, v) + gained + f.dissipated) < 1e-6 * (1 + std::abs(gained) + f.dissipated));
    CHECK(f.dissipated >= 0);
  }
}

TEST_CASE("within its play a spring carries nothing") {
  Spring s{.name = "gear", .driver = 1, .driven = 0, .stiffness = 1e3, .damping = 5, .backlash = 0.1};
  const Axes y{0.02, 0.05, 0}, v{1, -3, 0};
  Forces<double> f(3, 0);
  act<double>(s, y.data(), v.data(), 0, nullptr, nullptr, f);
  CHECK(f.drive[0] == 0);
  CHECK(f.drive[1] == 0);
  CHECK(f.dissipated == 0);
}

TEST_CASE("hysteresis tends to its torque, whichever way it turns, and never gives energy away") {
  Spring s{.name = "gear", .driver = 1, .driven = 0, .hysteresis_torque = 2, .hysteresis_stiffness = 400};
  for (const double speed : {0.3, -0.7}) {
    const Axes y{}, v{0, speed, 0};
    double dahl = 0, rate = 0, given = 0, lost = 0;
    constexpr double h = 1e-5;
    for (int k = 0; k < 20000; ++k) {
      Forces<double> f(3, 1);
      act<double>(s, y.data(), v.data(), 0, &dahl, &rate, f);
      given -= h * power_on_axes(f, v);
      lost += h * f.dissipated;
      CHECK(f.dissipated >= 0);
      dahl += h * rate;
    }
    const double closed_form = 2 * (1 - std::exp(-400 * std::abs(speed) * 0.2 / 2));
    CHECK(dahl == doctest::Approx(speed > 0 ? closed_form : -closed_form).epsilon(1e-4));
    CHECK(given == doctest::Approx(lost + dahl * dahl / (2 * 400)).epsilon(1e-3));
  }
}

TEST_CASE("an end stop is free between its ends and pushes beyond either") {
  const Spring s = end_stops("stop", 0, -1, 2, 1e3, 0);
  const auto torque = [&](double q, int side) {
    Forces<double> f(1, 0);
    const double v = 0;
    act<double>(s, &q, &v, side, nullptr, nullptr, f);
    return f.drive[0];
  };
  CHECK(s.is_end_stop());
  CHECK(torque(0.3, 0) == 0);
  CHECK(torque(2.1, -1) == doctest::Approx(-100));
  CHECK(torque(-1.2, 1) == doctest::Approx(200));
}

TEST_CASE("impossible springs are refused") {
  const Spring good{.name = "gear", .driver = 1, .driven = 0, .stiffness = 1};
  CHECK_NOTHROW(check(good, 2));
  const auto refused = [&](auto change) {
    Spring s = good;
    change(s);
    CHECK_THROWS_AS(check(s, 2), core::ModelError);
  };
  refused([](Spring& s) { s.driver = 2; });
  refused([](Spring& s) { s.driven = 1; });
  refused([](Spring& s) { s.ratio = 0; });
  refused([](Spring& s) { s.stiffness = -1; });
  refused([](Spring& s) { s.hysteresis_torque = 1; });
  refused([](Spring& s) {
    s.backlash = 0.1;
    s.stiffness = 0;
  });
}
