// Friction at an axis takes energy, whatever its law; what a bristle stores it may give back.
#include "armature/plant/internal/axis_friction_law.hpp"

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::plant;

namespace {

Forces<double> rubbing(const AxisFriction& f, double speed, int direction, double load) {
  Forces<double> out(1, 0);
  out.drive[0] = load;
  act<double>(f, speed, direction, nullptr, nullptr, out);
  return out;
}

}  // namespace

TEST_CASE("friction opposes the motion, and its power is what is dissipated") {
  Random random(2);
  for (const bool exact : {true, false})
    for (int k = 0; k < 300; ++k) {
      AxisFriction f{.axis = 0, .law = CoulombViscous{random.uniform(0, 5), random.uniform(0, 3)}, .exact = exact};
      if (k % 2)
        f.law = Stribeck{.coulomb = 1, .stiction = random.uniform(1, 3), .stribeck_velocity = 0.1, .viscous = 0.5};
      f.gear_loss = k % 3 ? 0 : random.uniform(0, 0.5);
      const double speed = random.uniform(-2, 2), load = random.uniform(-20, 20);
      const Forces<double> out = rubbing(f, speed, speed > 0 ? 1 : -1, load);
      CHECK(out.friction[0] * speed >= 0);
      CHECK(out.dissipated == out.friction[0] * speed);
      if (k % 3 == 0 && std::abs(speed) > 0.1) {  // far from zero speed both are the same law
        AxisFriction other = f;
        other.exact = !exact;
        CHECK(rubbing(other, speed, speed > 0 ? 1 : -1, load).friction[0] == doctest::Approx(out.friction[0]));
      }
    }
}

TEST_CASE("an axis that sticks feels no sliding friction") {
  const AxisFriction f{.axis = 0, .law = CoulombViscous{3, 1}};
  CHECK(rubbing(f, 0, 0, 2).friction[0] == 0);
  CHECK(breakaway_friction(f, 1, 0) == 3);
  CHECK(sticks(f));
  CHECK_FALSE(sticks({.axis = 0, .law = CoulombViscous{0, 1}}));
}

TEST_CASE("a gear that loses a share of its load loses that share at any speed") {
  const AxisFriction f{.axis = 0, .law = CoulombViscous{0, 0}, .gear_loss = 0.2};
  CHECK(rubbing(f, 1, 1, 10).friction[0] == doctest::Approx(2));
  CHECK(rubbing(f, -3, -1, 10).friction[0] == doctest::Approx(-2));
}

TEST_CASE("friction by load is that of the load which it leaves of the drive's torque") {
  Random random(7);
  for (int k = 0; k < 300; ++k) {
    const LoadDependent law{random.uniform(0, 2), random.uniform(0, 1), random.uniform(0, 0.9), random.uniform(-1, 1)};
    const AxisFriction f{.axis = 0, .law = law, .exact = k % 2 == 0};
    const double speed = random.uniform(0.1, 2) * (random.uniform() < 0.5 ? -1 : 1), drive = random.uniform(-20, 20);
    const double friction = rubbing(f, speed, speed > 0 ? 1 : -1, drive).friction[0];
    CHECK(friction == doctest::Approx(friction_torque(Friction(law), speed, drive - friction)).epsilon(1e-9));
  }
}

TEST_CASE("the bristles of LuGre store what they do not lose") {
  Random random(4);
  const LuGre law{.sigma0 = 1e4, .sigma1 = 10, .sigma2 = 0.4, .coulomb = 1, .stiction = 1.5, .stribeck_velocity = 0.01};
  const AxisFriction f{.axis = 0, .law = law};
  for (int k = 0; k < 200; ++k) {
    const double z = random.uniform(-1e-4, 1e-4), speed = random.uniform(-0.1, 0.1);
    double rate = 0;
    Forces<double> out(1, 1);
    act<double>(f, speed, 0, &z, &rate, out);
    const double stored = law.sigma0 * z * rate;
    CHECK(std::abs(out.friction[0] * speed - stored - out.dissipated) < 1e-12 * (1 + std::abs(stored)));
  }
}

TEST_CASE("friction at an axis that is not there is refused") {
  CHECK_THROWS_AS(check(AxisFriction{.axis = 3}, 3), core::ModelError);
  CHECK_THROWS_AS(check(AxisFriction{.axis = 0, .gear_loss = 1}, 3), core::ModelError);
  CHECK_NOTHROW(check(AxisFriction{.axis = 2}, 3));
}
