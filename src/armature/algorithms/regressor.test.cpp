#include "armature/algorithms/regressor.hpp"

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

TEST_CASE("the regressor times the parameters is the torque") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const VecX<double> tau = torque_regressor<double>(arm, q, qd, qdd) * link_parameters(arm);
    CHECK(relative_error(tau, inverse_dynamics<double>(arm, q, qd, qdd)) < 1e-12);
  }
}

TEST_CASE("it does not know the masses: other bodies on the same joints need only other parameters") {
  Random random(51);
  for (const auto& [arm, q, qd, qdd] : samples(1)) {
    CAPTURE(arm.name());
    ArmDescription description = arm.description();
    for (JointDescription& joint : description.joints) {
      if (joint.type != JointType::fixed && !joint.link.mass) joint.link.mass.emplace();
      if (!joint.link.mass) continue;
      joint.link.mass->mass += random.uniform(1, 2);
      joint.link.mass->tensor += Mat3<double>::Identity() * random.uniform(0.1, 0.2);
      if (!joint.link.mass->position_is_first_moment)
        joint.link.mass->position += Vec3<double>(random.normal(), random.normal(), random.normal()) * 0.1;
    }
    description.unphysical = "made up";
    const Arm other(description);
    const Regressor<double> W = torque_regressor<double>(arm, q, qd, qdd);
    CHECK(relative_error(W * link_parameters(other), inverse_dynamics<double>(other, q, qd, qdd)) < 1e-12);
  }
}

TEST_CASE("parameters are those of the described links, in their own frames") {
  for (const auto& [arm, q, qd, qdd] : samples(1)) {
    const ArmDescription& description = arm.description();
    const LinkParameters<double> p = link_parameters(arm);
    for (int i = 0; i < arm.dof(); ++i) {
      const auto& own = arm.joint(i).link.mass;
      const bool alone = i + 1 < arm.dof() && &arm.joint(i + 1) == &arm.joint(i) + 1;  // nothing welded to it
      if (!alone || !own) continue;
      CHECK(relative_error(p.segment<10>(10 * i), parameters(inertia_of(*own))) < 1e-12);
    }
    if (!description.payload && &arm.joint(arm.dof() - 1) == &description.joints.back() &&
        description.joints.back().link.mass)
      CHECK(relative_error(p.tail<10>(), parameters(inertia_of(*description.joints.back().link.mass))) < 1e-12);
  }
}

TEST_CASE("the energy regressor times the parameters is the energy") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const EnergyRegressor<double> E = energy_regressor<double>(arm, q, qd);
    const Energy<double> expected = energy<double>(arm, q, qd);
    const LinkParameters<double> p = link_parameters(arm);
    CHECK(E.kinetic.dot(p) == doctest::Approx(expected.kinetic).epsilon(1e-12));
    CHECK(std::abs(E.potential.dot(p) - expected.potential) < 1e-12 * std::max(1.0, std::abs(expected.potential)));
  }
}

TEST_CASE("parameter by parameter, power into the joints is the rate of change of energy") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const EnergyRegressor<Dual> E = energy_regressor<Dual>(arm, with_slope(q, qd), with_slope(qd, qdd));
    const RegressorRow<double> rate = slope_of(E.kinetic) + slope_of(E.potential);
    const RegressorRow<double> power = qd.transpose() * torque_regressor<double>(arm, q, qd, qdd);
    CHECK(relative_error(rate, power) < 1e-11);
  }
}

TEST_CASE("friction columns times the parameters are the friction torques, for the laws that are linear in them") {
  Random random(52);
  for (int dof = 1; dof <= max_joints; ++dof) {
    ArmDescription description = random_arm(dof, random).description();
    for (JointDescription& joint : description.joints) {
      const double c = random.uniform(0, 2), b = random.uniform(0, 1), offset = random.normal();
      const Friction laws[] = {NoFriction{}, CoulombViscous{c, b}, AsymmetricFriction{c, c, b, b, offset}};
      joint.friction = laws[random.bits() % 3];
    }
    const Arm arm(description);
    const auto p = friction_parameters(arm);
    REQUIRE(p);
    VecX<double> qd = random_vector(dof, random, 2);
    qd[0] = 0;  // at rest
    const VecX<double> tau = friction_torque(arm, qd, VecX<double>::Zero(dof));
    CHECK(relative_error(friction_regressor(qd) * *p, tau) < 1e-14);
    CHECK(relative_error(smooth_friction_regressor<double>(qd, 1e-6) * *p, tau) < 1e-12);
    description.joints[0].friction = Stribeck{1, 2, 0.1, 0, 2};
    CHECK_FALSE(friction_parameters(Arm(description)));
  }
}

TEST_CASE("rotor columns times the rotor inertias are the rotor torques") {
  Random random(53);
  for (int dof = 1; dof <= max_joints; ++dof) {
    ArmDescription description = random_arm(dof, random).description();
    Eigen::MatrixXd C = Eigen::MatrixXd::Identity(dof, dof);
    VecX<double> J(dof);
    for (int i = 0; i < dof; ++i) {
      Drive& drive = description.joints[i].drive;
      drive.gear_ratio = random.uniform(-150, 150);
      drive.rotor_inertia = J[i] = random.uniform(1e-6, 1e-3);
      for (int j = 0; j < i; ++j) C(i, j) = random.normal();
    }
    description.couplings = C;
    const Arm arm(description);
    const VecX<double> qdd = random_vector(dof, random, 5);
    CHECK(relative_error(rotor_regressor<double>(arm, qdd) * J, rotor_torque<double>(arm, qdd)) < 1e-13);
  }
}
