#include "armature/plant/compose.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "armature/core/error.hpp"

namespace armature {

namespace {

double needed(const std::optional<double>& number, const Arm& arm, int i, const char* what) {
  if (number) return *number;
  throw ModelError(fmt::format("joint '{}', drive: it has no {}", arm.joint(i).name, what),
                   "add it to the arm's file, or command torques");
}

}  // namespace

//  Motor angles are N_i (C q)_i, so joint torques are Cᵀ N tau_m and rotors weigh Cᵀ diag(N² J) C.
Composition compose(const Arm& arm, const ComposeOptions& options) {
  const int n = arm.dof();
  const MatX<double>& C = arm.couplings();
  const bool coupled = C != MatX<double>::Identity(n, n);
  Composition result;
  PlantDescription& plant = result.plant;
  plant.arm = arm;
  if (options.drives != ComposeOptions::Drives::ideal) plant.reflected_inertia = MatX<double>::Zero(n, n);
  Eigen::MatrixXd drive = Eigen::MatrixXd::Zero(n, n);  // joint torques of unit commands

  for (int i = 0; i < n; ++i) {
    const JointDescription& joint = arm.joint(i);
    const Drive& d = joint.drive;
    const double N = d.gear_ratio.value_or(1), J = d.rotor_inertia.value_or(0);
    const bool elastic = options.drives == ComposeOptions::Drives::elastic && d.stiffness && J > 0 && !coupled;
    Motor motor;
    motor.name = joint.name;
    motor.command = options.command;
    if (options.command != Motor::Command::torque) {
      motor.torque_constant = needed(d.torque_constant, arm, i, "torque constant");
      motor.back_emf = d.back_emf.value_or(motor.torque_constant);
      motor.resistance = d.resistance.value_or(0);
      motor.inductance = d.inductance.value_or(0);
      if (options.command == Motor::Command::voltage) motor.resistance = needed(d.resistance, arm, i, "resistance");
    }
    const double per_command = options.command == Motor::Command::torque    ? 1 / N
                               : options.command == Motor::Command::current ? motor.torque_constant
                                                                            : motor.torque_constant / motor.resistance;
    if (options.torque_limits && joint.limits.torque) {
      const double at_shaft = *joint.limits.torque / std::abs(N);
      if (options.command == Motor::Command::torque)
        motor.torque_limit = *joint.limits.torque;
      else
        motor.current_limit = at_shaft / motor.torque_constant;
    }
    if (elastic) {
      const int rotor = n + static_cast<int>(plant.rotors.size());
      plant.rotors.push_back({joint.name, J});
      plant.springs.push_back({.name = joint.name,
                               .driver = rotor,
                               .driven = i,
                               .ratio = N,
                               .stiffness = *d.stiffness,
                               .damping = d.damping.value_or(0),
                               .backlash = d.backlash.value_or(0)});
      motor.drives = {{rotor, options.command == Motor::Command::torque ? 1 / N : 1.0}};
      drive(i, i) = N * per_command;
    } else {
      for (int j = 0; j < n; ++j)
        if (C(i, j) != 0) {
          motor.drives.emplace_back(j, (options.command == Motor::Command::torque ? 1 : N) * C(i, j));
          drive(j, i) = C(i, j) * N * per_command;
        }
      if (options.drives != ComposeOptions::Drives::ideal)
        plant.reflected_inertia += N * N * J * C.row(i).transpose() * C.row(i);
    }
    plant.motors.push_back(std::move(motor));
    if (options.friction && !std::holds_alternative<NoFriction>(joint.friction))
      plant.friction.push_back({i, joint.friction, options.exact_stick, options.smoothing});
  }
  result.to_command = drive.inverse();
  return result;
}

}  // namespace armature
