#include "drive.hpp"

#include <cmath>

namespace armature::studies::vandeven1986 {

namespace {

Motor motor(const DriveParameters& p, const std::string& name, int axis) {
  return {.name = name,
          .drives = {{axis, 1.0}},
          .command = Motor::Command::voltage,
          .torque_constant = p.KT,
          .back_emf = p.KE,
          .resistance = p.R,
          .inductance = p.L};
}

}  // namespace

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
  plant.motors = {motor(p, "motor", 1)};
  return plant;
}

PlantDescription two_axes(const Arm& arm, const DriveParameters& p, double N) {
  PlantDescription plant;
  plant.arm = arm;
  for (int axis = 0; axis < 2; ++axis) {
    const std::string side = std::to_string(axis + 1);
    const int tacho = 2 + 3 * axis;
    plant.rotors.insert(plant.rotors.end(),
                        {{"tacho" + side, p.J[0]}, {"motor" + side, p.J[1]}, {"drive" + side, p.J[2]}});
    plant.springs.push_back(
        {.name = "shaft1_" + side, .driver = tacho, .driven = tacho + 1, .stiffness = p.c[0], .damping = p.d[0]});
    plant.springs.push_back(
        {.name = "shaft2_" + side, .driver = tacho + 1, .driven = tacho + 2, .stiffness = p.c[1], .damping = p.d[1]});
    plant.springs.push_back({.name = "gear_" + side,
                             .driver = tacho + 2,
                             .driven = axis,
                             .ratio = N,
                             .stiffness = p.c[2] * N * N,
                             .hardening = p.hardening * N * N * N * N,
                             .damping = p.d[2] * N * N,
                             .backlash = p.S / N});
    plant.friction.push_back({tacho, CoulombViscous{0, p.d[3]}});
    plant.friction.push_back({tacho + 1, CoulombViscous{p.Tf, p.d[4]}});
    plant.friction.push_back({tacho + 2, CoulombViscous{0, p.d[5]}});
    plant.motors.push_back(motor(p, "motor" + side, tacho + 1));
  }
  return plant;
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
