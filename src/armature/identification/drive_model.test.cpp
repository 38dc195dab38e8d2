#include "armature/identification/drive_model.hpp"

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::identification;
using namespace armature::testing;

namespace {

/// A random arm with an elastic drive at every joint.
Arm elastic_arm(int dof, Random& random) {
  ArmDescription description = random_arm(dof, random).description();
  for (JointDescription& joint : description.joints) {
    joint.drive.gear_ratio = 50;
    joint.drive.rotor_inertia = 1e-4;
    joint.drive.stiffness = 1e4;
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

TEST_CASE("an arm file with tachometer, coupling and gear is the drive of vandeven1986, with its modes") {
  // printed values; peaks and eigenvalues worked out from the paper's equations by other means
  const auto drive = [](double N) {
    ArmDescription arm;
    arm.name = "drive";
    arm.gravity.setZero();
    JointDescription joint;
    joint.name = "motor";
    joint.placement = DhRow{};
    joint.link.name = "load";
    MassProperties load;
    load.mass = 0.5;
    load.tensor = Vec3<double>::Constant(372e-6 * N * N).asDiagonal();
    joint.link.mass = load;
    Drive& d = joint.drive;
    d.gear_ratio = N;
    d.torque_constant = 0.088;
    d.resistance = 1.6;
    d.inductance = 87e-6;
    d.tachometer_inertia = 34e-6;
    d.tachometer_stiffness = 789;
    d.tachometer_damping = 1200e-6;
    d.tachometer_viscous = 76e-6;
    d.rotor_inertia = 41e-6;
    d.rotor_viscous = 12e-6;
    d.coupling_stiffness = 1225;
    d.coupling_damping = 68000e-6;
    d.gear_inertia = 196e-6;
    d.gear_viscous = 700e-6;
    d.stiffness = 1.44 * N * N;
    d.damping = 1600e-6 * N * N;
    arm.joints = {joint};
    return arm;
  };
  for (const double N : {1.0, -80.0}) {  // values of the load act through the gear
    const DriveModel model(Arm(drive(N)), 0, VecX<double>::Zero(1), {.command = Motor::Command::voltage});
    const Plant plant = model.linear_plant(model.described());
    Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
    const LinearPlant linear = linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));
    Eigen::VectorXd C = Eigen::VectorXd::Zero(linear.A.rows());
    C[model.state_of("v_motor_tachometer")] = 0.029;
    const std::vector<Peak> found = peaks(linear, linear.B.col(0), C, 5, 3000);
    REQUIRE(found.size() == 3);
    CHECK(found[0].frequency == doctest::Approx(15.46).epsilon(1e-3));
    CHECK(found[1].frequency == doctest::Approx(628.4).epsilon(1e-3));
    CHECK(found[2].frequency == doctest::Approx(1221.9).epsilon(1e-3));
    CHECK(found[1].decibel == doctest::Approx(-33.0).epsilon(2e-3));
    // all on one stiff shaft: one mode is left, and the tachometer shows the rotor
    ArmDescription stiff = drive(N);
    stiff.joints[0].drive.tachometer_stiffness.reset();
    stiff.joints[0].drive.coupling_stiffness.reset();
    const DriveModel lumped(Arm(stiff), 0, VecX<double>::Zero(1), {.command = Motor::Command::voltage});
    CHECK(lumped.state_of("v_motor_tachometer") == lumped.state_of("v_motor"));
    CHECK(lumped.plant(lumped.described()).description().rotors[0].inertia == doctest::Approx(271e-6));
    CHECK_THROWS_WITH_AS(static_cast<void>(lumped.index("gear_inertia")), doctest::Contains("above zero"), Error);
  }
}
