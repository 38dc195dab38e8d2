#include "armature/simulation/step_limit.hpp"

#include <cmath>

#include "armature/simulation/integrator.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::simulation;

namespace {

constexpr double h = 1e-3;

/// A rotor of 1 kg m² on a spring with a damper, to the ground.
Plant swinging(double stiffness, double damping) {
  PlantDescription d;
  d.rotors = {{"block", 1}};
  d.springs = {{.name = "spring", .driver = 0, .stiffness = stiffness, .damping = damping}};
  return Plant(d);
}

/// Starts at 1 rad, at rest.
Eigen::VectorXd deflected() { return Eigen::Vector4d(1, 0, 0, 0); }

StepLimit limit(const Plant& plant, double steps, bool at_rest) {
  Eigen::VectorXd x = deflected();
  const Eigen::VectorXd u(0);
  return step_limit(plant, 0, x, u, plant.modes_at(0, x, u.data()), h, steps, at_rest);
}

/// Largest error of rk4 against the integrator that controls its error, over the largest deflection.
double error_of_steps(const Plant& plant, double steps) {
  Integrator fixed(plant, {.method = Method::rk4, .step = h}), exact(plant, {.method = Method::automatic});
  std::vector<LogEvent> events;
  fixed.start(0, deflected(), Eigen::VectorXd(0));
  exact.start(0, deflected(), Eigen::VectorXd(0));
  double worst = 0;
  for (double k = 1; k <= steps; ++k) {
    fixed.advance(k * h, events);
    exact.advance(k * h, events);
    worst = std::max(worst, std::abs(fixed.state()[0] - exact.state()[0]));
  }
  return worst;
}

}  // namespace

TEST_CASE(
    "a step that is allowed follows a swing within 1 % for the whole run, and one that is refused would not for long") {
  for (const double damping : {0.0, 0.02, 0.3})
    for (const double z : {0.01, 0.1, 0.2, 0.25, 0.3, 0.5, 1.0, 2.0, 3.0}) {
      CAPTURE(damping);
      CAPTURE(z);
      const double w = z / h;
      const Plant plant = swinging(w * w, 2 * damping * w);
      const double steps = 1000;
      const StepLimit found = limit(plant, steps, false);
      CHECK(std::abs(found.eigenvalue) == doctest::Approx(w).epsilon(1e-4));
      const double error = error_of_steps(plant, steps);
      if (found.allowed) CHECK(error < 0.01);
      if (!found.allowed) CHECK(error > 1e-5);
    }
  CHECK(limit(swinging(1e4, 0), 1000, false).allowed);
  CHECK(!limit(swinging(1e6, 0), 1000, false).allowed);
}

TEST_CASE("in motion a decay is followed to 1 %; at rest it need only be stable") {
  const auto braked = [](double z) {
    PlantDescription d;
    d.rotors = {{"block", 1}};
    d.friction = {{0, CoulombViscous{0, z / h}}};
    return Plant(d);
  };
  for (const double z : {0.5, 0.9, 1.1, 2.0, 2.2, 2.3, 2.8, 100.0}) {
    CAPTURE(z);
    const Plant plant = braked(z);
    const double taken = 1 - z + z * z / 2 - z * z * z / 6 + z * z * z * z / 24;
    CHECK(limit(plant, 1000, false).allowed == (std::abs(taken - std::exp(-z)) / (1 - std::exp(-z)) <= 0.01));
    CHECK(limit(plant, 1000, true).allowed == (z <= 2.25));
    if (limit(plant, 1000, true).allowed) CHECK(std::abs(taken) < 1);
  }
  CHECK(to_string(limit(braked(100), 1000, true)) ==
        "its fastest mode decays with 1e+05 1/s, and 1 ms times that is 100");
  CHECK(to_string(limit(braked(0), 1000, true)) == "nothing in it swings or decays by itself");
}
