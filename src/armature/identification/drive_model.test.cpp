#include "armature/identification/drive_model.hpp"

#include <doctest/doctest.h>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::testing;

namespace {

/// A random arm with an elastic drive at every joint.
Arm elastic_arm(int dof, Random& random) {
  ArmDescription description = random_arm(dof, random).description();
  for (JointDescription& joint : description.joints) {
    joint.drive.gear_ratio = 50, joint.drive.rotor_inertia = 1e-4, joint.drive.stiffness = 1e4;
    joint.friction = CoulombViscous{.coulomb = 1, .viscous = 0.5};
  }
  return Arm(description);
}

}  // namespace

TEST_CASE("a joint carries what the mass matrix says, and its inertia scales with all that is beyond it") {
  Random random(86);
  for (int dof = 1; dof <= 6; ++dof) {
    const Arm arm = elastic_arm(dof, random);
    const VecX<double> q = random_vector(dof, random, 2);
    for (int joint = 0; joint < dof; ++joint) {
      const DriveModel model(arm, joint, q, {});
      const auto load = static_cast<Eigen::Index>(model.index("load_inertia"));
      const double described = mass_matrix<double>(arm, q)(joint, joint);
      CHECK(model.described()[load] == doctest::Approx(described).epsilon(1e-9));
      Eigen::VectorXd heavier = model.described();
      heavier[load] *= 3;
      const Arm changed(model.arm(heavier));
      CHECK(mass_matrix<double>(changed, q)(joint, joint) == doctest::Approx(3 * described).epsilon(1e-9));
      CHECK(changed.joint(joint).drive == arm.joint(joint).drive);
    }
  }
}

TEST_CASE("columns of a log are states of the drive, other names are answered") {
  Random random(87);
  const Arm arm = elastic_arm(3, random);
  const DriveModel model(arm, 1, VecX<double>::Zero(3), {});
  CHECK(model.state_of("q2_meas") == 0);
  CHECK(model.state_of("v2") == model.state_of("q2") + 2);
  CHECK(model.state_of("q_" + arm.joint(1).name) == 1);
  CHECK(model.is_position(0));
  CHECK_THROWS_WITH_AS(static_cast<void>(model.state_of("q1_meas")), doctest::Contains("shows nothing of the drive"),
                       Error);
  CHECK_THROWS_WITH_AS(static_cast<void>(model.index("stifness")), doctest::Contains("did you mean 'stiffness'?"),
                       Error);
  CHECK_THROWS_WITH_AS(static_cast<void>(model.index("backlash")), doctest::Contains("above zero"), Error);
}

TEST_CASE("a drive that cannot be fitted is refused with the reason") {
  Random random(88);
  ArmDescription description = elastic_arm(2, random).description();
  description.joints[0].drive.stiffness.reset();
  description.joints[1].friction = Stribeck{.coulomb = 1, .stiction = 2};
  const Arm arm(description);
  const VecX<double> q = VecX<double>::Zero(2);
  CHECK_THROWS_WITH_AS(DriveModel(arm, 0, q, {}), doctest::Contains("not elastic"), ModelError);
  CHECK_THROWS_WITH_AS(DriveModel(arm, 1, q, {}), doctest::Contains("not coulomb_viscous"), ModelError);
}
