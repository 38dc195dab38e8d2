// Slopes of modes and responses against laws of scaling and against changed machines.
#include "armature/simulation/sensitivity.hpp"

#include <cmath>

#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature::simulation;
using namespace armature::testing;

namespace {

/// A chain of rotors and springs, the first one tied to the ground.
PlantDescription chain(double damping) {
  PlantDescription d;
  d.rotors = {{"a", 0.02}, {"b", 0.05}, {"c", 0.01}};
  d.springs = {{.name = "1", .driver = ground, .driven = 0, .stiffness = 200, .damping = damping},
               {.name = "2", .driver = 0, .driven = 1, .ratio = 3, .stiffness = 90, .damping = damping},
               {.name = "3", .driver = 1, .driven = 2, .stiffness = 30, .damping = damping}};
  d.motors = {{.name = "m", .drives = {{0, 1.0}}}};
  return d;
}

struct Linearized {
  explicit Linearized(const PlantDescription& d) : plant(d) {
    x = plant.state_at(VecX<double>::Constant(plant.dof(), 0.4), VecX<double>::Constant(plant.dof(), 0.1));
    u = Eigen::VectorXd::Zero(plant.inputs());
    modes = plant.modes_at(0, x, u.data());
    linear = linearize(plant, 0, x, u, modes);
  }
  [[nodiscard]] LinearSlope slope_of(const PlantParameter& p) const { return slope(p, 0, x, u, modes); }
  Plant plant;
  Eigen::VectorXd x, u;
  Modes modes;
  LinearPlant linear;
};

}  // namespace

TEST_CASE("undamped frequencies grow with the square root of all stiffnesses and fall with that of all inertias") {
  const PlantDescription d = chain(0);
  const Linearized at(d);
  const std::vector<Mode> modes = modes_of(at.linear);
  std::vector<double> stiffness(modes.size()), inertia(modes.size());
  for (const PlantParameter& p : parameters_of(d)) {
    const auto slopes = eigenvalue_slopes(at.linear, at.slope_of(p));
    for (std::size_t k = 0; k < modes.size(); ++k) {
      const double relative = slopes[k].imag() / modes[k].eigenvalue.imag();  // d ln w / d ln p
      if (p.name.ends_with("stiffness")) stiffness[k] += relative;
      if (p.name.ends_with("inertia")) inertia[k] += relative;
    }
  }
  for (std::size_t k = 0; k < modes.size(); ++k) {
    CHECK(stiffness[k] == doctest::Approx(0.5).epsilon(1e-8));
    CHECK(inertia[k] == doctest::Approx(-0.5).epsilon(1e-8));
  }
}

TEST_CASE("slopes of eigenvalues and responses predict the machine with a changed parameter") {
  Random random(3);
  PlantDescription with_arm = chain(0.01);
  with_arm.arm = random_arm(2, random);
  for (Spring& spring : with_arm.springs) {  // the axes 0 and 1 are joints now
    if (spring.driver != ground) spring.driver += 2;
    spring.driven += 2;
  }
  with_arm.springs.push_back({.name = "to joint 2", .driver = 4, .driven = 1, .ratio = 10, .stiffness = 50});
  with_arm.friction = {{2, CoulombViscous{0, 0.03}}};
  for (const PlantDescription& d : {chain(0.01), with_arm}) {
    const Linearized at(d);
    const std::vector<Mode> modes = modes_of(at.linear);
    Eigen::VectorXd C = Eigen::VectorXd::Zero(at.linear.A.rows());
    C[C.size() / 2 - 1] = 1;
    const std::vector<double> f{0.3, 3, 30};
    const auto response = frequency_response(at.linear, at.linear.B.col(0), C, f);
    for (const PlantParameter& p : parameters_of(d)) {
      CAPTURE(p.name);
      const double e = 1e-4;
      const LinearPlant more = linearize(Plant(p.scaled(1 + e)), 0, at.x, at.u, at.modes);
      const LinearPlant less = linearize(Plant(p.scaled(1 - e)), 0, at.x, at.u, at.modes);
      const LinearSlope change = at.slope_of(p);
      const auto slopes = eigenvalue_slopes(at.linear, change);
      const auto above = modes_of(more), below = modes_of(less);
      for (std::size_t k = 0; k < modes.size(); ++k) {
        const std::complex<double> seen = (above[k].eigenvalue - below[k].eigenvalue) / (2 * e);
        CHECK(std::abs(slopes[k] - seen) < 1e-5 * (std::abs(modes[k].eigenvalue) + std::abs(seen)));
      }
      const auto response_slope = response_slopes(at.linear, change, 0, C, f);
      const auto up = frequency_response(more, more.B.col(0), C, f),
                 down = frequency_response(less, less.B.col(0), C, f);
      for (std::size_t k = 0; k < f.size(); ++k)
        CHECK(std::abs(response_slope[k] - (up[k] - down[k]) / (2 * e)) <
              1e-4 * (std::abs(response[k]) + std::abs(response_slope[k])));
    }
  }
}
