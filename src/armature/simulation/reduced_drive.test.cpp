#include "armature/simulation/reduced_drive.hpp"

#include "armature/testing/doctest.hpp"

#include <cmath>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/linearise.hpp"

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
  return linearise(plant, 0, x, u, plant.modes_at(0, x, u.data()));
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

TEST_CASE("a drive without shafts of its own stays as it is") {
  Drive plain;
  plain.gear_ratio = 100;
  plain.rotor_inertia = 1e-4;
  plain.stiffness = 1e4;
  CHECK(two_inertia_drive(plain, 1) == plain);
}
