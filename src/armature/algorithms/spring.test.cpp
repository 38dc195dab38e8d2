#include "armature/algorithms/spring.hpp"

#include <cmath>

#include "armature/algorithms/derivatives.hpp"
#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/core/error.hpp"
#include "armature/model/spring_law.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::algorithms;
using namespace armature::testing;

namespace {

JointSpring linear(double stiffness, double rest) {
  JointSpring s;
  s.stiffness = stiffness;
  s.rest = rest;
  return s;
}
JointSpring formula(std::string torque) {
  JointSpring s;
  s.torque = std::move(torque);
  return s;
}
JointSpring table(std::vector<double> positions, std::vector<double> torques) {
  JointSpring s;
  s.positions = std::move(positions);
  s.torques = std::move(torques);
  return s;
}

/// Three springs on the first three joints of an arm, and what they ask for by hand.
struct Sprung {
  Arm bare, arm;
};
Sprung sprung(const Arm& bare) {
  ArmDescription d = bare.description();
  const JointSpring laws[] = {linear(40, 0.3),
                              formula("L = sqrt(1.04 - 0.4*cos(q))\ntorque = 90*(L - 0.6)*0.2*sin(q)/L"),
                              table({-4, -1, 0, 2, 4}, {-30, -20, 5, 6, -10})};
  int k = 0;
  for (JointDescription& joint : d.joints)
    if (joint.type != JointType::fixed && k < 3) {
      joint.limits.lower.reset();
      joint.limits.upper.reset();
      joint.spring = laws[k++];
    }
  return {bare, Arm(d)};
}
double by_hand(int joint, double q) {
  if (joint == 0) return 40 * (q - 0.3);
  const double L = std::sqrt(1.04 - 0.4 * std::cos(q));
  return 90 * (L - 0.6) * 0.2 * std::sin(q) / L;
}

}  // namespace

TEST_CASE("inverse dynamics with springs are those without, and the springs' torques by hand") {
  for (const auto& [bare, q, qd, qdd] : samples(1)) {
    if (bare.dof() < 3) continue;
    const Sprung s = sprung(bare);
    CAPTURE(bare.name());
    const VecX<double> with = inverse_dynamics<double>(s.arm, q, qd, qdd),
                       without = inverse_dynamics<double>(s.bare, q, qd, qdd), more = with - without;
    const double scale = 1 + without.cwiseAbs().maxCoeff();
    for (int i = 0; i < 2; ++i) CHECK(std::abs(more[i] - by_hand(i, q[i])) < 1e-12 * scale);
    CHECK(std::abs(more[2] - s.arm.springs()[2]->torque<double>(q[2])) < 1e-12 * scale);
    for (int i = 3; i < bare.dof(); ++i) CHECK(std::abs(more[i]) < 1e-12 * scale);
    CHECK(relative_error(gravity_torque<double>(s.arm, q) - gravity_torque<double>(s.bare, q), more) < 1e-11 * scale);
    CHECK(relative_error(lagrange_inverse_dynamics<double>(s.arm, q, qd, qdd), with) < 1e-11);
    VecX<double> back;
    forward_dynamics<double>(s.arm, q, qd, with, {}, back);
    const VecX<double> again = inverse_dynamics<double>(s.arm, q, qd, back);
    CHECK(relative_error(again, with) < 1e-9);
    VecX<Pack> packed_q(bare.dof()), packed_qd(bare.dof()), packed_qdd(bare.dof());
    for (int i = 0; i < bare.dof(); ++i) {
      packed_q[i] = Pack(q[i]);
      packed_qd[i] = Pack(qd[i]);
      packed_qdd[i] = Pack(qdd[i]);
    }
    const VecX<Pack> eight = inverse_dynamics<Pack>(s.arm, packed_q, packed_qd, packed_qdd);
    for (int i = 0; i < 3; ++i) CHECK(eight[i][7] == doctest::Approx(with[i]).epsilon(1e-12));
  }
}

TEST_CASE("what springs take up is their power, and their slope is in the derivatives of the torques") {
  for (const auto& [bare, q, qd, qdd] : samples(1)) {
    if (bare.dof() < 3) continue;
    const Arm arm = sprung(bare).arm;
    const int n = arm.dof();
    CAPTURE(arm.name());
    const VecX<double> none = VecX<double>::Zero(n);
    const Energy<Dual> e = energy<Dual>(arm, with_slope(q, qd), with_slope(qd, qdd));
    const double power = inverse_dynamics<double>(arm, q, qd, qdd).dot(qd);
    CHECK(e.kinetic.slope + e.potential.slope ==
          doctest::Approx(power).epsilon(1e-9 * (1 + std::abs(e.kinetic.slope) + std::abs(e.potential.slope))));
    InverseDynamicsDerivatives<double> d = inverse_dynamics_derivatives<double>(arm, q, qd, qdd);
    MatX<double> dq(n, n);
    for (int k = 0; k < n; ++k)
      dq.col(k) = slope_of(inverse_dynamics<Dual>(arm, with_slope(q, VecX<double>::Unit(n, k)), with_slope(qd, none),
                                                  with_slope(qdd, none)));
    CHECK(relative_error(d.dq, dq) < 1e-11);
  }
}

TEST_CASE("the energy of a spring is the integral of its torque, whatever describes it") {
  Limits limits;
  limits.lower = 0.2;  // where zero is not within the limits
  for (const JointSpring& spring :
       {linear(-7, 1), formula("exp(-q)*sin(3*q) + 2*q"), table({0, 1, 1.5, 4}, {2, 1, -3, 8})}) {
    const SpringLaw law(spring, limits);
    for (double q = -5; q < 5; q += 0.31) {
      constexpr double h = 1e-5;
      CHECK((law.energy<double>(q + h) - law.energy<double>(q - h)) / (2 * h) ==
            doctest::Approx(law.torque<double>(q)).epsilon(1e-6));
      CHECK((law.torque<double>(q + h) - law.torque<double>(q - h)) / (2 * h) ==
            doctest::Approx(law.stiffness<double>(q)).epsilon(1e-3));
    }
  }
  CHECK(SpringLaw(formula("q"), limits).energy<double>(0.2) == 0);
}

TEST_CASE("springs that no joint can have are found") {
  Random random(5);
  const ArmDescription good = random_arm(2, random).description();
  const auto found = [&](const JointSpring& spring) {
    ArmDescription d = good;
    d.joints[0].spring = spring;
    d.joints[0].limits.lower = -1;
    d.joints[0].limits.upper = 2;
    const auto all = findings(d);
    return all.empty() ? std::string() : all.front().place + ": " + all.front().finding;
  };
  const std::string place = "joint '" + good.joints[0].name + "', spring: ";
  CHECK(found(linear(3, 0)) == "");
  CHECK(found({}) == place + "it has neither stiffness nor torque nor table nor sine");
  JointSpring two = linear(3, 0);
  two.torque = "q";
  CHECK(found(two) == place + "it has more than one of stiffness, torque, table and sine");
  CHECK(found(linear(NAN, 0)) == place + "the stiffness is not finite");
  CHECK(found(linear(1e300, 0)).starts_with(place + "the stiffness is 1e+300"));
  CHECK(found(formula("q1 + 1")) == place + "its torque, line 1, column 1: 'q1' means nothing here");
  CHECK(found(formula("1/q")).starts_with(place + "its torque or the slope"));
  CHECK(found(formula("sqrt(q)")).starts_with(place + "its torque or the slope"));
  CHECK(found(formula("sqrt(q + 1.001)")) == "");
  CHECK(found(formula("1e200*q")).starts_with(place + "its torque is"));
  CHECK(found(table({-1, 2}, {1})) == place + "it has 2 positions and 1 torques");
  CHECK(found(table({2, -1}, {1, 2})) == place + "position 2 of its table, -1, is not beyond the one before");
  CHECK(found(table({-1, NAN}, {1, 2})) == place + "point 2 of its table is not finite");
  CHECK(found(table({-0.5, 2}, {1, 2})).ends_with("does not reach the position limits of the joint"));
  CHECK(found(table({-1, 2}, {1, 2})) == "");
  ArmDescription fixed = good;
  fixed.joints[0].spring = linear(3, 0);
  CHECK(checksum(Arm(fixed)) != checksum(Arm(good)));  // functions of the one are not for the other
}

TEST_CASE("a spring by sine and cosine is the one that a formula says, for every kind of number") {
  JointSpring periodic;
  periodic.sine = 7;
  periodic.cosine = -3;
  for (const double lower : {-10.0, 0.4}) {
    Limits limits;
    limits.lower = lower;
    const SpringLaw law(periodic, limits), same(formula("7*sin(q) - 3*cos(q)"), limits);
    for (double q = lower; q < 9; q += 0.37) {
      CAPTURE(q);
      CHECK(std::abs(law.torque<double>(q) - same.torque<double>(q)) < 1e-14);
      CHECK(std::abs(law.stiffness<double>(q) - same.stiffness<double>(q)) < 1e-14);
      CHECK(std::abs(law.energy<double>(q) - same.energy<double>(q)) < 1e-11);
      const Dual dual = law.torque<Dual>(Dual{q, 1});
      CHECK(dual.value == law.torque<double>(q));
      CHECK(std::abs(dual.slope - law.stiffness<double>(q)) < 1e-14);
      CHECK(law.torque<Pack>(Pack(q))[5] == law.torque<double>(q));
    }
  }
}
