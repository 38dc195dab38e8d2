#include "armature/algorithms/friction.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/scalar/expr.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::algorithms;

namespace {

const Friction laws[] = {NoFriction{},
                         CoulombViscous{1.2, 0.3},
                         Stribeck{1.0, 1.5, 0.2, 0.3, 2},
                         Stribeck{1.0, 1.5, 0.2, 0.3, 1},
                         Stribeck{1.0, 1.5, 0.2, 0.3, 0.7},
                         ThreeSigmoid{{5.5, -2, 0.5}, {50, 8, 1}, 0.8},
                         LuGre{1e4, 50, 0.3, 1.0, 1.5, 0.2},
                         AsymmetricFriction{1, 2, 0.3, 0.4, 0.1},
                         LoadDependent{0.5, 0.2, 0.05}};

}  // namespace

TEST_CASE("friction takes energy at every speed, but for the offset of an asymmetric law") {
  Random random(1);
  for (const Friction& law : laws)
    for (int i = 0; i < 1000; ++i) {
      const double qd = random.normal(), load = random.normal() * 10;
      const auto* asymmetric = std::get_if<AsymmetricFriction>(&law);
      CHECK((friction_torque(law, qd, load) - (asymmetric ? asymmetric->offset : 0)) * qd >= 0);
    }
}

TEST_CASE("the laws are what their comments say") {
  CHECK(friction_torque(CoulombViscous{1.2, 0.3}, -2.0) == doctest::Approx(-1.2 - 0.6));
  CHECK(friction_torque(Stribeck{1, 1.5, 0.2, 0.3, 2}, 0.2) == doctest::Approx(1 + 0.5 * std::exp(-1) + 0.06));
  CHECK(friction_torque(Stribeck{1, 1.5, 0.2, 0.3, 1}, -0.4) == doctest::Approx(-(1 + 0.5 * std::exp(-2)) - 0.12));
  const ThreeSigmoid s{{5.5, -2, 0.5}, {50, 8, 1}, 0.8};
  double printed = 0.8 * 0.07;  // as printed, with exponentials
  for (std::size_t k = 0; k < 3; ++k) printed += s.f[k] * (1 - 2 / (std::exp(2 * s.w[k] * 0.07) + 1));
  CHECK(friction_torque(s, 0.07) == doctest::Approx(printed).epsilon(1e-14));
  CHECK(friction_torque(AsymmetricFriction{1, 2, 0.3, 0.4, 0.1}, -1.0) == doctest::Approx(0.1 - 2 - 0.4));
  CHECK(friction_torque(Stribeck{1, 1.5, 0.2, 0.3, 2, 0.4}, 0.2) ==
        doctest::Approx(1 + 0.5 * std::exp(-1) + 0.06 + 0.4));
  CHECK(friction_torque(ThreeSigmoid{{5.5, -2, 0.5}, {50, 8, 1}, 0.8, 0.4}, 0.07) == doctest::Approx(printed + 0.4));
  CHECK(friction_torque(LoadDependent{0.5, 0.2, 0.05}, 1.0, -10) == doctest::Approx(0.5 + 0.5 + 0.2));
}

TEST_CASE("at rest a law with a jump gives nothing but can hold, and breaks away at the sliding torque") {
  for (const Friction& law : laws) {
    const auto* asymmetric = std::get_if<AsymmetricFriction>(&law);
    if (!asymmetric) CHECK(friction_torque(law, 0.0, 3.0) == 0);
    for (const int direction : {1, -1}) {
      const double hold = breakaway_friction(law, direction, 3.0);
      if (!has_jump(law))
        CHECK(hold == 0);
      else
        CHECK(hold == doctest::Approx(direction * friction_torque(law, direction * 1e-12, 3.0)));
    }
  }
}

TEST_CASE("the smooth form meets the law away from zero, and its derivative is right") {
  for (const Friction& law : laws)
    for (const double qd : {-1.0, -0.1, 0.05, 0.7}) {
      const double smooth = smooth_friction<double>(law, qd, 2.0, 1e-3);
      CHECK(smooth == doctest::Approx(friction_torque(law, qd, 2.0)).epsilon(1e-12));
      const double h = 1e-6;
      const double difference =
          (smooth_friction<double>(law, qd + h, 2.0) - smooth_friction<double>(law, qd - h, 2.0)) / (2 * h);
      CHECK(smooth_friction<Dual>(law, Dual(qd, 1), Dual(2.0)).slope == doctest::Approx(difference).epsilon(1e-6));
    }
}

TEST_CASE("at rest the smooth form is finite with its derivative, and meets the exact law") {
  for (const Friction& law : laws) {
    const Dual rest = smooth_friction<Dual>(law, Dual(0, 1), Dual(0, 1));
    CHECK(std::abs(rest.value - friction_torque(law, 0.0)) < 1e-15);
    CHECK(std::isfinite(rest.slope));
  }
}

TEST_CASE("symbols and packed numbers follow the same law") {
  for (const Friction& law : laws) {
    const auto* stribeck = std::get_if<Stribeck>(&law);
    ExprGraph graph;
    const ExprScope scope(graph);
    const Expr qd = graph.symbol("qd"), load = graph.symbol("load");
    if (stribeck && stribeck->exponent == 0.7) {
      CHECK_THROWS_WITH_AS(
          smooth_friction<Expr>(law, qd, load),
          "a Stribeck law with exponent 0.7 has no closed form\n  hint: symbols take exponents such as "
          "0.5, 1, 1.5, 2; numbers take any",
          ModelError);
      continue;
    }
    const Expr traced[] = {smooth_friction<Expr>(law, qd, load)};
    for (const double speed : {-0.7, -1e-4, 0.3}) {
      const double expected = smooth_friction<double>(law, speed, -2.0);
      CHECK(graph.evaluate(traced, {{"qd", speed}, {"load", -2.0}})[0] == doctest::Approx(expected).epsilon(1e-12));
      CHECK(smooth_friction<Pack>(law, Pack(speed), Pack(-2.0))[3] == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}

TEST_CASE("what rubs at motors that move several joints takes the power that the motors lose") {
  Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 4;
    ArmDescription d = testing::random_arm(n, random).description();
    d.couplings = Eigen::MatrixXd::Identity(n, n);
    (*d.couplings)(3, 2) = random.normal();
    (*d.couplings)(2, 0) = random.normal();
    for (JointDescription& joint : d.joints) {
      joint.friction = NoFriction{};
      joint.drive.gear_ratio = 50 * random.normal();
      joint.drive.rotor_coulomb = random.uniform(0, 0.1);
      joint.drive.rotor_viscous = random.uniform(0, 0.01);
    }
    const Arm arm(d);
    VecX<double> qd(n);
    for (int i = 0; i < n; ++i) qd[i] = random.normal();
    double lost = 0;
    for (int k = 0; k < n; ++k) {
      const double speed = *arm.joint(k).drive.gear_ratio * arm.couplings().row(k).dot(qd);  // of the motor
      lost += *arm.joint(k).drive.rotor_coulomb * std::abs(speed) + *arm.joint(k).drive.rotor_viscous * speed * speed;
    }
    const VecX<double> load = VecX<double>::Zero(n);
    CHECK(friction_torque(arm, qd, load).dot(qd) == doctest::Approx(lost).epsilon(1e-12));
    CHECK(smooth_friction<double>(arm, qd, load, 1e-9).dot(qd) == doctest::Approx(lost).epsilon(1e-6));
  }
}
