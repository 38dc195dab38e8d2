#include "drive.hpp"

#include <cmath>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/plant/compose.hpp"

namespace armature::studies::vandeven1986 {

DriveParameters printed_drive(bool dry_friction) {
  const Arm arm = catalogue_arm("asea2", built_in_kernels());
  const Drive& drive = arm.joint(0).drive;
  const double N2 = std::pow(drive.gear_ratio.value(), 2);
  const VecX<double> horizontal = (VecX<double>(2) << 0, pi / 2).finished();
  DriveParameters p;
  p.R = drive.resistance.value();
  p.L = drive.inductance.value();
  p.KT = drive.torque_constant.value();
  p.KE = drive.back_emf.value();
  p.KEt = drive.tachometer.value();
  if (dry_friction) p.Tf = drive.rotor_coulomb.value();
  p.J = {drive.tachometer_inertia.value(), drive.rotor_inertia.value(), drive.gear_inertia.value(),
         mass_matrix<double>(arm, horizontal)(0, 0) / N2};
  p.c = {drive.tachometer_stiffness.value(), drive.coupling_stiffness.value(), drive.stiffness.value() / N2};
  p.d = {drive.tachometer_damping.value(),
         drive.coupling_damping.value(),
         drive.damping.value() / N2,
         drive.tachometer_viscous.value(),
         drive.rotor_viscous.value(),
         drive.gear_viscous.value(),
         0};
  return p;
}

PlantDescription drive_plant(const DriveParameters& p) {
  PlantDescription plant;
  plant.rotors = {{"tacho", p.J[0]}, {"motor", p.J[1]}, {"drive", p.J[2]}, {"load", p.J[3]}};
  for (int i = 0; i < 3; ++i)
    plant.springs.push_back({.name = "shaft" + std::to_string(i + 1),
                             .driver = i,
                             .driven = i + 1,
                             .stiffness = p.c[i],
                             .damping = p.d[i]});
  plant.springs[2].backlash = p.S;
  plant.springs[2].hardening = p.hardening;
  for (int i = 0; i < 4; ++i) plant.friction.push_back({i, CoulombViscous{i == 1 ? p.Tf : 0, p.d[3 + i]}});
  plant.motors = {{.name = "motor",
                   .drives = {{1, 1.0}},
                   .command = Motor::Command::voltage,
                   .torque_constant = p.KT,
                   .back_emf = p.KE,
                   .resistance = p.R,
                   .inductance = p.L}};
  return plant;
}

PlantDescription two_axes(ArmDescription arm, double play, double hardening) {
  for (JointDescription& joint : arm.joints) {
    const double N = joint.drive.gear_ratio.value();
    joint.drive.backlash = play / N;
    if (hardening > 0) joint.drive.hardening = hardening * std::pow(N, 4);
  }
  return compose(Arm(arm), {.drives = ComposeOptions::Drives::elastic,
                            .command = Motor::Command::voltage,
                            .exact_stick = true,
                            .torque_limits = false})
      .plant;
}

Channel tachometer_channel(const DriveParameters& p, double twist) {
  DriveParameters linear = p;
  linear.Tf = linear.S = 0;
  const Plant plant(drive_plant(linear));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
  x.head(3).setConstant(twist);  // of everything before the load
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  Channel channel{linearize(plant, 0, x, u, plant.modes_at(0, x, u.data())), {}, {}};
  channel.B = channel.plant.B.col(0);
  channel.C = Eigen::VectorXd::Zero(channel.plant.A.rows());
  channel.C[4] = p.KEt;  // speed of the tachometer
  return channel;
}

double Channel::decibel(double frequency) const {
  return 20 * std::log10(std::abs(frequency_response(plant, B, C, {frequency})[0]));
}

}  // namespace armature::studies::vandeven1986
