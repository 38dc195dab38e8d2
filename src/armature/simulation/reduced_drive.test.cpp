#include "armature/simulation/reduced_drive.hpp"

#include "armature/testing/doctest.hpp"

#include <cmath>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/simulation/linearize.hpp"

using namespace armature::simulation;

namespace {

/// The drive of Vandeven1986 at its motor's shaft, with a gear of ratio N before the load.
Arm four_inertias(double N) {
  const double J = 372e-6 * N * N;
  ArmDescription d = arm_from_dh("drive", {{.name = "motor",
                                            .inertia = inertia_about_com<double>(
                                                1, Vec3<double>::Zero(), Mat3<double>(J * Mat3<double>::Identity()))}})
                         .description();
  d.gravity.setZero();
  Drive& drive = d.joints[0].drive;
  drive.gear_ratio = N;
  drive.torque_constant = 0.088;
  drive.resistance = 1.6;
  drive.inductance = 87e-6;
  drive.tachometer_inertia = 34e-6;
  drive.tachometer_stiffness = 789;
  drive.tachometer_damping = 1200e-6;
  drive.tachometer_viscous = 76e-6;
  drive.rotor_inertia = 41e-6;
  drive.rotor_viscous = 12e-6;
  drive.coupling_stiffness = 1225;
  drive.coupling_damping = 68e-3;
  drive.gear_inertia = 196e-6;
  drive.gear_viscous = 700e-6;
  drive.stiffness = 1.44 * N * N;
  drive.damping = 1600e-6 * N * N;
  return Arm(d);
}

LinearPlant linear(const Arm& arm, Motor::Command command) {
  const Plant plant(compose(arm, {.drives = ComposeOptions::Drives::elastic, .command = command}).plant);
  Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1));
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  return linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));
}

}  // namespace

TEST_CASE(
    "a drive of four inertias as one of two keeps its slowest swing to the digit, and its response up to 100 Hz") {
  for (const double N : {1.0, 158.0}) {
    CAPTURE(N);
    const Arm whole = four_inertias(N), two = with_two_inertia_drives(whole, VecX<double>::Zero(1));
    const LinearPlant a = linear(whole, Motor::Command::torque), b = linear(two, Motor::Command::torque);
    CHECK(a.A.rows() == 8);
    CHECK(b.A.rows() == 4);
    const auto swing = [](const LinearPlant& plant) {
      for (const Mode& mode : modes_of(plant))
        if (mode.eigenvalue.imag() > 0) return mode.eigenvalue;
      return std::complex<double>(0);
    };
    CHECK(std::abs(swing(a) - swing(b)) < 1e-9 * std::abs(swing(a)));
    // voltage to the joint's speed
    const LinearPlant va = linear(whole, Motor::Command::voltage), vb = linear(two, Motor::Command::voltage);
    double worst = 0;
    for (int i = 0; i <= 100; ++i) {
      const double f = 0.1 * std::pow(1e3, i / 100.0);
      const Eigen::VectorXd Ca = Eigen::VectorXd::Unit(va.A.rows(), 4), Cb = Eigen::VectorXd::Unit(vb.A.rows(), 2);
      const auto ratio =
          frequency_response(vb, vb.B.col(0), Cb, {f})[0] / frequency_response(va, va.B.col(0), Ca, {f})[0];
      worst = std::max(worst, std::abs(20 * std::log10(std::abs(ratio))));
    }
    CHECK(worst < 0.2);  // [dB]
  }
}

TEST_CASE("a drive alone, put back as a linear model of all its states, is the drive that it was") {
  for (const double N : {1.0, 158.0})
    for (const Motor::Command command : {Motor::Command::torque, Motor::Command::current, Motor::Command::voltage}) {
      CAPTURE(N);
      CAPTURE(static_cast<int>(command));
      const Arm arm = four_inertias(N);
      const StateSpace drive = drive_model(arm, 0, {.command = command});
      CHECK(drive.A.rows() == (command == Motor::Command::voltage ? 7 : 6));
      const LinearPlant whole = linear(arm, command);
      const Plant plant(
          compose(arm,
                  {.drives = ComposeOptions::Drives::elastic, .command = command, .reduced = {as_setting(drive, 0)}})
              .plant);
      Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1));
      const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
      const LinearPlant again = linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));
      CHECK(again.A.rows() == whole.A.rows());
      for (const double f : {0.3, 5.0, 16.0, 100.0, 628.0, 1200.0, 5000.0})  // to the joint's speed
        CHECK(std::abs(frequency_response(again, again.B.col(0), Eigen::VectorXd::Unit(again.A.rows(), 1), {f})[0] /
                           frequency_response(whole, whole.B.col(0), Eigen::VectorXd::Unit(whole.A.rows(), 4), {f})[0] -
                       1.0) < 1e-7);
    }
}

TEST_CASE("a linear drive that starts in motion turns along: its torque is what its bearings take") {
  const Arm arm = four_inertias(158);
  const Plant plant(
      compose(arm, {.drives = ComposeOptions::Drives::elastic, .reduced = {as_setting(drive_model(arm, 0, {}), 0)}})
          .plant);
  const double speed = 0.7, viscous = (76e-6 + 12e-6 + 700e-6) * 158 * 158;
  const Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Constant(1, speed)),
                        u = Eigen::VectorXd::Zero(1);
  CHECK(plant.motor_torque(0, x.data(), u.data()) == doctest::Approx(-viscous * speed).epsilon(1e-9));
}

TEST_CASE(
    "the torque of a reduced drive stays within its bound of the whole drive's, over time and whatever is asked") {
  const Arm arm = four_inertias(158);
  const StateSpace drive = drive_model(arm, 0, {.command = Motor::Command::voltage});
  for (const Reduction method : {Reduction::balanced, Reduction::modal})
    for (const int order : {2, 3, 5}) {
      CAPTURE(order);
      const DriveReduction small = reduced_drive(drive, order, method);
      CHECK(small.model.system.A.rows() <= order);
      // The joint behind its brake; a voltage of steps that change their sign at random, at rates about the drive's own.
      ComposeOptions options{.drives = ComposeOptions::Drives::elastic, .command = Motor::Command::voltage};
      PlantDescription whole = compose(arm, options).plant;
      options.reduced = {as_setting(small.model.system, 0)};
      PlantDescription fewer = compose(arm, options).plant;
      whole.locks = fewer.locks = {0};
      const Plant a(whole), b(fewer);
      Integrator full(a, {.relative = 1e-9, .absolute = 1e-12}), reduced(b, {.relative = 1e-9, .absolute = 1e-12});
      const VecX<double> none = VecX<double>::Zero(1);
      Random random(3);
      double voltage = 0, difference = 0, asked = 0, most = 0;
      std::vector<LogEvent> events;
      const double step = 1e-4;
      for (int k = 0; k < 5000; ++k) {
        if (k == 0 || random.uniform() < 0.02) voltage = random.normal();
        const Eigen::VectorXd u = Eigen::VectorXd::Constant(1, voltage);
        if (k == 0) {
          full.start(0, a.state_at(none, none), u);
          reduced.start(0, b.state_at(none, none), u);
        } else {
          full.set_input(u);
          reduced.set_input(u);
        }
        full.advance(step * (k + 1), events);
        reduced.advance(step * (k + 1), events);
        const double torque = a.drive_torque(full.state().data(), u.data(), full.modes())[0];
        const double off = torque - b.drive_torque(reduced.state().data(), u.data(), reduced.modes())[0];
        difference += step * off * off;
        asked += step * voltage * voltage;
        most = std::max(most, std::abs(torque));
      }
      CHECK(most > 1);  // [N m] something was asked for
      // the largest gain of the difference is the bound, and with it the energy of what is off
      CHECK(std::sqrt(difference) <= small.model.bound * small.peak[0] * std::sqrt(asked) * (1 + 1e-6));
      CHECK(difference > 0);
    }
}

TEST_CASE("a drive that is not linear has no linear model, and says why") {
  const auto refused = [](const char* says, auto change) {
    ArmDescription d = four_inertias(10).description();
    change(d.joints[0].drive);
    CHECK_THROWS_WITH_AS(drive_model(Arm(d), 0, {}), doctest::Contains(says), Error);
  };
  refused("play", [](Drive& d) { d.backlash = 0.01; });
  refused("hardens", [](Drive& d) { d.hardening = 5; });
  refused("dry friction", [](Drive& d) { d.rotor_coulomb = 0.01; });
  refused("no elastic drive", [](Drive& d) {
    d.stiffness.reset();
    d.damping.reset();
  });
  CHECK_THROWS_WITH_AS(compose(four_inertias(1), {.reduced = {ReducedDrive{}}}), doctest::Contains("not elastic"),
                       Error);
  const StateSpace drive = drive_model(four_inertias(1), 0, {});
  ReducedDrive odd = as_setting(drive, 0);
  odd.B.resize(5);
  CHECK_THROWS_WITH_AS(compose(four_inertias(1), {.drives = ComposeOptions::Drives::elastic, .reduced = {odd}}),
                       doctest::Contains("row 3 of B has 1 numbers"), Error);
  odd = as_setting(drive, 3);
  CHECK_THROWS_WITH_AS(compose(four_inertias(1), {.drives = ComposeOptions::Drives::elastic, .reduced = {odd}}),
                       doctest::Contains("names joint 4"), Error);
}

TEST_CASE("a drive without shafts of its own stays as it is") {
  Drive plain;
  plain.gear_ratio = 100;
  plain.rotor_inertia = 1e-4;
  plain.stiffness = 1e4;
  CHECK(two_inertia_drive(plain, 1) == plain);
}
