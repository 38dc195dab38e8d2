// Motors: where their power goes, and that those fed with what the model in amperes and volts says move the plant as asked.
#include <utility>

#include "armature/algorithms/motor_commands.hpp"
#include "armature/core/error.hpp"
#include "armature/plant/compose.hpp"
#include "armature/plant/internal/motor_law.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::plant;
using namespace armature::testing;

namespace {

/// Drives with gears, windings, rotors and friction, and a coupling between joints 2 and 3.
Arm driven_arm(Random& random) {
  ArmDescription d = catalogue_arm("rrr").description();
  for (JointDescription& joint : d.joints) {
    joint.drive = {};
    joint.drive.gear_ratio = random.uniform(5, 100);
    joint.drive.rotor_inertia = random.uniform(1e-5, 1e-3);
    joint.drive.torque_constant = random.uniform(0.05, 0.5);
    joint.drive.back_emf = random.uniform(0.05, 0.5);
    joint.drive.resistance = random.uniform(0.3, 3);
    joint.friction = CoulombViscous{random.uniform(0, 2), random.uniform(0, 3)};
  }
  d.couplings = Eigen::MatrixXd::Identity(3, 3);
  (*d.couplings)(2, 1) = 1;
  return Arm(d);
}

VecX<double> accelerations_with(const Plant& plant, const VecX<double>& q, const VecX<double>& qd,
                                const VecX<double>& u) {
  Eigen::VectorXd x = plant.state_at(q, qd), xd(plant.states());
  const Eigen::VectorXd input = u;
  const Modes modes = plant.modes_at(0, x, input.data());
  plant.derivative<double>(0, x.data(), input.data(), modes, xd.data());
  return xd.segment(plant.axes(), plant.dof());
}

}  // namespace

TEST_CASE("currents and voltages of the model give the accelerations they were computed for") {
  Random random(12);
  for (int k = 0; k < 50; ++k) {
    const Arm arm = driven_arm(random);
    const int n = arm.dof();
    const VecX<double> q = random_vector(n, random, 3), qd = random_vector(n, random, 2),
                       qdd = random_vector(n, random, 10);
    for (const auto& [feed, command] : {std::pair(algorithms::MotorFeed::current, Motor::Command::current),
                                        std::pair(algorithms::MotorFeed::voltage, Motor::Command::voltage)}) {
      const Plant plant(compose(arm, {.command = command, .torque_limits = false}).plant);
      const VecX<double> u = motor_commands<double>(arm, motor_windings(arm, feed), feed, q, qd, qdd);
      CHECK((accelerations_with(plant, q, qd, u) - qdd).norm() < 1e-9 * qdd.norm());
    }
  }
}

TEST_CASE("back EMF damps a plant that is fed with voltages as much as the model says") {
  Random random(13);
  const Arm arm = driven_arm(random);
  ComposeOptions fed{.command = Motor::Command::voltage, .torque_limits = false};
  const Composition composed = compose(arm, fed);
  const Plant by_voltage(composed.plant), by_torque(compose(arm, {.torque_limits = false}).plant);
  const VecX<double> q = random_vector(3, random, 3), qd = random_vector(3, random, 2),
                     tau = random_vector(3, random, 20);
  const VecX<double> damped = tau - algorithms::back_emf_damping(arm) * qd;
  const MatX<double> motors =
      arm.couplings().transpose().inverse();  // a torque command is one at the joint behind the coupling
  const VecX<double> a = accelerations_with(by_voltage, q, qd, composed.to_command * tau);
  const VecX<double> b = accelerations_with(by_torque, q, qd, motors * damped);
  CHECK((a - b).norm() < 1e-9 * b.norm());
}

TEST_CASE("a drive without torque constant or resistance is named") {
  CHECK_THROWS_AS(algorithms::motor_windings(catalogue_arm("rrr"), algorithms::MotorFeed::current), ModelError);
  CHECK_NOTHROW(algorithms::motor_windings(catalogue_arm("ur10"), algorithms::MotorFeed::current));
  CHECK_THROWS_AS(algorithms::motor_windings(catalogue_arm("ur10"), algorithms::MotorFeed::voltage), ModelError);
}

TEST_CASE("the power a motor is supplied with turns its axes, heats its winding or is stored in its inductance") {
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    Motor m{.name = "m", .drives = {{0, random.uniform(1, 50)}, {1, random.uniform(-10, 10)}}};
    m.command = static_cast<Motor::Command>(k % 3);
    m.torque_constant = random.uniform(0.1, 1);
    m.back_emf = m.torque_constant;
    m.resistance = random.uniform(0.1, 2);
    m.torque_limit = 5;
    m.current_limit = 4;
    if (k % 2) m.voltage_limit = 24;
    const double u = random.uniform(-30, 30), v[2] = {random.uniform(-2, 2), random.uniform(-2, 2)};
    double current = random.uniform(-3, 3), rate = 0;
    const bool winding = m.command == Motor::Command::voltage && k % 4 < 2;
    m.inductance = winding ? 1e-3 : 0;
    Forces<double> f(2, 1);
    act<double>(m, u, v, false, winding ? &current : nullptr, winding ? &rate : nullptr, f);
    const double turned = f.drive[0] * v[0] + f.drive[1] * v[1], stored = m.inductance * current * rate;
    CHECK(std::abs(f.supplied - turned - f.dissipated - stored) < 1e-9 * (1 + std::abs(f.supplied)));
    CHECK(f.dissipated >= 0);
    const double emf = m.back_emf * motor_speed(m, v);
    const bool overrun =
        m.voltage_limit && std::abs(emf) > *m.voltage_limit;  // then the amplifier cannot stop the current
    const double torque = f.drive[0] / m.drives[0].second,
                 most = m.command == Motor::Command::torque ? 5 : 4 * m.torque_constant;
    if (!overrun) CHECK(std::abs(torque) <= most * (1 + 1e-12));
  }
}
