#include "armature/algorithms/drive.hpp"

#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

/// A random arm with a motor, a gear and a rotor at every joint, motors and joints coupled as in a wrist.
Arm driven(int dof, Random& random) {
  ArmDescription description = random_arm(dof, random).description();
  Eigen::MatrixXd C = Eigen::MatrixXd::Identity(dof, dof);
  for (int i = 0; i < dof; ++i) {
    description.joints[i].drive.gear_ratio = random.uniform(-150, 150);
    description.joints[i].drive.rotor_inertia = random.uniform(1e-6, 1e-3);
    for (int j = 0; j < i; ++j) C(i, j) = random.normal();
  }
  description.couplings = C;
  return Arm(description);
}

}  // namespace

TEST_CASE("rotors store the kinetic energy that their speeds say") {
  Random random(41);
  for (int dof = 1; dof <= max_joints; ++dof) {
    const Arm arm = driven(dof, random);
    const VecX<double> qd = random_vector(dof, random, 2), qdd = random_vector(dof, random, 5);
    const VecX<double> geared = arm.couplings() * qd;
    double expected = 0;
    for (int i = 0; i < dof; ++i) {
      const Drive& drive = arm.joint(i).drive;
      const double rotor_speed = *drive.gear_ratio * geared[i];
      expected += 0.5 * *drive.rotor_inertia * rotor_speed * rotor_speed;
    }
    const MatX<double> M = reflected_inertia(arm);
    CHECK(0.5 * qd.dot(M * qd) == doctest::Approx(expected).epsilon(1e-12));
    CHECK(relative_error(M, M.transpose()) < 1e-14);
    CHECK(relative_error(rotor_torque<double>(arm, qdd), M * qdd) < 1e-14);
  }
}

TEST_CASE("a motor that nobody described adds nothing, one without a gear turns with its joint") {
  Random random(42);
  ArmDescription description = random_arm(2, random).description();
  CHECK(reflected_inertia(Arm(description)).isZero(0));
  description.joints[1].drive.rotor_inertia = 0.3;
  CHECK(reflected_inertia(Arm(description)) == MatX<double>(Eigen::Vector2d(0, 0.3).asDiagonal()));
}
