#include "armature/plant/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/model/flexible.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::plant {

namespace {

double needed(const std::optional<double>& number, const Arm& arm, int i, const char* what) {
  if (number) return *number;
  throw ModelError(fmt::format("joint '{}', drive: it has no {}", arm.joint(i).name, what),
                   "add it to the arm's file, or command torques");
}

bool has_elastic_drive(const Arm& arm) {
  for (int i = 0; i < arm.dof(); ++i)
    if (arm.joint(i).drive.stiffness) return true;
  return false;
}

/// The joints that motor i turns, each with its share times `factor`.
std::vector<std::pair<int, double>> turned_by(const Arm& arm, int i, double factor = 1) {
  std::vector<std::pair<int, double>> joints;
  for (int j = 0; j < arm.dof(); ++j)
    if (arm.couplings()(i, j) != 0) joints.emplace_back(j, factor * arm.couplings()(i, j));
  return joints;
}

bool rubs(const CoulombViscous& f) { return f.coulomb > 0 || f.viscous > 0; }

/// At joint i: a law, and what its gear loses.
void add_friction(const Arm& arm, int i, const Friction& law, const ComposeOptions& options, PlantDescription& plant) {
  const bool gear = options.drives != ComposeOptions::Drives::ideal;
  const double lost = gear ? 1 - arm.joint(i).drive.efficiency.value_or(1) : 0;
  if (!std::holds_alternative<NoFriction>(law) || lost > 0)
    plant.friction.push_back({i, law, options.exact_stick, options.smoothing, lost});
}

/// What the joint may be loaded with and what the amplifier can give, whichever is less. A torque command knows no voltage.
void add_limits(const JointDescription& joint, Motor& motor) {
  const Drive& d = joint.drive;
  const auto lesser = [](std::optional<double> a, std::optional<double> b) {
    return a && b ? std::min(*a, *b) : a ? a : b;
  };
  const double N = std::abs(d.gear_ratio.value_or(1));
  if (motor.command == Motor::Command::torque) {
    motor.torque_limit = joint.limits.torque;
    if (d.current_limit) motor.torque_limit = lesser(motor.torque_limit, N * *d.torque_constant * *d.current_limit);
  } else {
    motor.current_limit = d.current_limit;
    motor.voltage_limit = d.voltage_limit;
    if (joint.limits.torque)
      motor.current_limit = lesser(motor.current_limit, *joint.limits.torque / (N * motor.torque_constant));
  }
}

/// A motor behind a stiff gear rubs with its joint: the shaft's coulomb N and viscous N² add to the joint's law where that is
/// of the same kind, so that it sticks as one. Otherwise, and where it moves several joints, it rubs by itself.
void add_stiff_friction(const Arm& arm, int i, bool coupled, const ComposeOptions& options, Motor& motor,
                        PlantDescription& plant) {
  const JointDescription& joint = arm.joint(i);
  Friction law = joint.friction;
  const CoulombViscous shaft = shaft_friction(joint.drive);
  if (options.drives != ComposeOptions::Drives::ideal && rubs(shaft)) {
    const double N = std::abs(joint.drive.gear_ratio.value_or(1));
    const CoulombViscous at_joint{N * shaft.coulomb, N * N * shaft.viscous};
    const auto* own = std::get_if<CoulombViscous>(&joint.friction);
    if (!coupled && (own || std::holds_alternative<NoFriction>(joint.friction))) {
      law = CoulombViscous{(own ? own->coulomb : 0) + at_joint.coulomb, (own ? own->viscous : 0) + at_joint.viscous};
    } else if (options.command == Motor::Command::torque) {  // its angle counts at the gear's slow side
      motor.friction = at_joint;
      motor.smoothing = options.smoothing;
    } else {
      motor.friction = shaft;
      motor.smoothing = N * options.smoothing;
    }
  }
  add_friction(arm, i, law, options, plant);
}

/// The linear drive that the options put at joint i, or null.
const ReducedDrive* reduced_at(const ComposeOptions& options, int i) {
  for (const ReducedDrive& drive : options.reduced)
    if (drive.joint == i + 1) return &drive;
  return nullptr;
}

void check_reduced(const Arm& arm, const ComposeOptions& options) {
  if (options.reduced.empty()) return;
  if (options.drives != ComposeOptions::Drives::elastic)
    throw ModelError("reduced drives stand in place of elastic ones, and the drives are not elastic",
                     "drives: elastic");
  for (const ReducedDrive& drive : options.reduced) {
    if (drive.joint < 1 || drive.joint > arm.dof())
      throw ModelError(fmt::format("a reduced drive names joint {}", drive.joint),
                       fmt::format("joints count from 1 to {}", arm.dof()));
    if (reduced_at(options, drive.joint - 1) != &drive)
      throw ModelError(fmt::format("two reduced drives name joint {}", drive.joint), "one per joint");
  }
}

/// Throws ModelError where its rows are not those of matrices, or the motor has a limit that it cannot keep.
LinearDrive linear_drive(const ReducedDrive& drive, const std::string& name, const Motor& motor) {
  const std::size_t n = drive.C.size();
  const auto matrix = [&](const std::vector<double>& rows, std::size_t columns, const char* which) -> Eigen::MatrixXd {
    const std::size_t length = std::max(columns, std::size_t{1}), full = rows.size() / length;
    if (full * length != rows.size())
      throw ModelError(fmt::format("the reduced drive of joint '{}': row {} of {} has {} numbers", name, full + 1,
                                   which, rows.size() % length),
                       fmt::format("{}", columns));
    return Eigen::Map<const Eigen::MatrixXd>(rows.data(), columns, full).transpose();
  };
  LinearDrive linear{matrix(drive.A, n, "A"), matrix(drive.B, 2, "B"),
                     Eigen::Map<const Eigen::RowVectorXd>(drive.C.data(), n), matrix(drive.D, 2, "D")};
  const bool inner_limit = motor.command == Motor::Command::voltage   ? motor.current_limit.has_value()
                           : motor.command == Motor::Command::current ? motor.voltage_limit && motor.resistance > 0
                                                                      : false;
  if (inner_limit)
    throw ModelError(fmt::format("joint '{}': a reduced drive does not know the {} that the arm's data limit", name,
                                 motor.command == Motor::Command::voltage ? "current" : "voltage"),
                     "plant.torque_limits: false, or another plant.command");
  return linear;
}

/// The axes of a motor's rotor and of its tachometer.
struct Shaft {
  int rotor = 0, tachometer = 0;
};

/// From the gear's input to joint i. A coupled motor turns the sum of joints that its row of the couplings says.
Spring transmission_of(const Arm& arm, int i, int gear) {
  const Drive& d = arm.joint(i).drive;
  Spring transmission{.name = arm.joint(i).name,
                      .driver = gear,
                      .ratio = d.gear_ratio.value_or(1),
                      .stiffness = *d.stiffness,
                      .hardening = d.hardening.value_or(0),
                      .damping = d.damping.value_or(0),
                      .backlash = d.backlash.value_or(0),
                      .error_amplitude = d.gear_error.value_or(0),
                      .error_order = d.gear_error_order.value_or(0),
                      .hysteresis_torque = d.hysteresis_torque.value_or(0),
                      .hysteresis_stiffness = d.hysteresis_stiffness.value_or(0),
                      .coupled = turned_by(arm, i)};
  if (transmission.coupled.size() == 1 && transmission.coupled.front().second == 1) {
    transmission.driven = transmission.coupled.front().first;
    transmission.coupled.clear();
  }
  return transmission;
}

/// Puts rotor, tachometer and the gear's input in front of joint i: tachometer - rotor - gear = joint [Vandeven1986,
/// (10)-(13)]. What has no shaft of its own turns with the rotor.
Shaft add_shaft(const Arm& arm, int i, const ComposeOptions& options, PlantDescription& plant) {
  const std::string& name = arm.joint(i).name;
  const Drive& d = arm.joint(i).drive;
  const double N = d.gear_ratio.value_or(1);
  const auto add_rotor = [&](const std::string& what, double inertia, const CoulombViscous& friction) {
    const int axis = arm.dof() + static_cast<int>(plant.rotors.size());
    plant.rotors.push_back({what, inertia});
    if (options.friction && rubs(friction))
      plant.friction.push_back({axis, friction, options.exact_stick, options.smoothing * std::abs(N)});
    return axis;
  };
  const RotorAlone alone = rotor_alone(d);
  const int rotor = add_rotor(name, alone.inertia, alone.friction);
  Shaft shaft{rotor, rotor};
  if (d.tachometer_stiffness) {
    shaft.tachometer = add_rotor(name + "_tachometer", *d.tachometer_inertia, {0, d.tachometer_viscous.value_or(0)});
    plant.springs.push_back({.name = name + "_tachometer",
                             .driver = shaft.tachometer,
                             .driven = rotor,
                             .stiffness = *d.tachometer_stiffness,
                             .damping = d.tachometer_damping.value_or(0)});
  }
  int gear = rotor;
  if (d.coupling_stiffness) {
    gear = add_rotor(name + "_gear", *d.gear_inertia, {0, d.gear_viscous.value_or(0)});
    plant.springs.push_back({.name = name + "_coupling",
                             .driver = rotor,
                             .driven = gear,
                             .stiffness = *d.coupling_stiffness,
                             .damping = d.coupling_damping.value_or(0)});
  }
  plant.springs.push_back(transmission_of(arm, i, gear));
  return shaft;
}

/// Instruments at the motors count C q at the gears' slow sides, and so q = C⁻¹ times what they count: a rotor's angle over its
/// gear ratio where the gear is elastic.
void show_at_motors(const Arm& arm, const std::vector<std::optional<Shaft>>& shafts, PlantDescription& plant) {
  const int n = arm.dof();
  const Eigen::MatrixXd C = arm.couplings();
  Eigen::MatrixXd encoders = Eigen::MatrixXd::Zero(n, n + plant.rotors.size());
  Eigen::MatrixXd tachometers = encoders;
  for (int i = 0; i < n; ++i) {
    const double N = arm.joint(i).drive.gear_ratio.value_or(1);
    if (const auto& shaft = shafts[i])
      encoders(i, shaft->rotor) = tachometers(i, shaft->tachometer) = 1 / N;
    else
      encoders.row(i).head(n) = tachometers.row(i).head(n) = C.row(i);
  }
  plant.motor_encoders = inverse(C) * encoders;
  plant.motor_tachometers = inverse(C) * tachometers;
}

}  // namespace

void set_viscous(const VecX<double>& viscous, ArmDescription& description) {
  Eigen::Index moving = 0;
  for (JointDescription& joint : description.joints)
    if (viscous.size() > 0 && joint.type != JointType::fixed)
      joint.friction = CoulombViscous{.coulomb = 0, .viscous = viscous[moving++]};
}

RotorAlone rotor_alone(const Drive& d) {
  RotorAlone rotor{shaft_inertia(d), shaft_friction(d)};
  if (d.tachometer_stiffness) {
    rotor.inertia -= *d.tachometer_inertia;
    rotor.friction.viscous -= d.tachometer_viscous.value_or(0);
  }
  if (d.coupling_stiffness) {
    rotor.inertia -= *d.gear_inertia;
    rotor.friction.viscous -= d.gear_viscous.value_or(0);
  }
  return rotor;
}

//  Motor angles are N_i (C q)_i, so joint torques are Cᵀ N tau_m and rotors weigh Cᵀ diag(N² J) C.
Composition compose(const Arm& arm, const ComposeOptions& options) {
  if (options.viscous.size() > 0) {
    ComposeOptions rest = options;
    rest.viscous.resize(0);
    ArmDescription description = arm.description();
    set_viscous(options.viscous, description);
    return compose(arm.with_description(std::move(description)), rest);
  }
  const int n = arm.dof();
  const MatX<double>& C = arm.couplings();
  const bool coupled = C != MatX<double>::Identity(n, n);
  Composition result;
  PlantDescription& plant = result.plant;
  plant.arm = arm;
  if (options.drives != ComposeOptions::Drives::ideal) plant.reflected_inertia = MatX<double>::Zero(n, n);
  Eigen::MatrixXd drive = Eigen::MatrixXd::Zero(n, n);  // joint torques of unit commands
  check_reduced(arm, options);
  if (options.drives == ComposeOptions::Drives::elastic && !has_elastic_drive(arm) && options.reduced.empty())
    throw ModelError(fmt::format("arm '{}': no joint has an elastic drive", arm.name()),
                     "give drive.stiffness and drive.rotor_inertia in the arm's file, or simulate rigid drives");
  std::vector<std::optional<Shaft>> shafts(n);

  for (int i = 0; i < n; ++i) {
    const JointDescription& joint = arm.joint(i);
    const Drive& d = joint.drive;
    const double N = d.gear_ratio.value_or(1), J = shaft_inertia(d);
    const ReducedDrive* reduced = reduced_at(options, i);
    const bool elastic = options.drives == ComposeOptions::Drives::elastic && d.stiffness && !reduced;
    if (elastic && !(J > 0))
      throw ModelError(fmt::format("joint '{}', drive: it has a stiffness and no rotor_inertia", joint.name),
                       "a spring needs an inertia at each end: give the rotor's, or simulate rigid drives");
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
    if (options.torque_limits) add_limits(joint, motor);
    if (elastic) {
      const Shaft& shaft = *(shafts[i] = add_shaft(arm, i, options, plant));
      motor.drives = {{shaft.rotor, options.command == Motor::Command::torque ? 1 / N : 1.0}};
    } else if (reduced) {
      motor.linear = linear_drive(*reduced, joint.name, motor);
      motor.drives = turned_by(arm, i);
    } else {
      motor.drives = turned_by(arm, i, options.command == Motor::Command::torque ? 1 : N);
      if (options.drives != ComposeOptions::Drives::ideal)
        plant.reflected_inertia += N * N * J * C.row(i).transpose() * C.row(i);
    }
    drive.col(i) = C.row(i).transpose() * (N * per_command);
    if (options.friction && (elastic || reduced)) add_friction(arm, i, joint.friction, options, plant);
    if (options.friction && !elastic && !reduced) add_stiff_friction(arm, i, coupled, options, motor, plant);
    plant.motors.push_back(std::move(motor));
  }
  result.to_command = inverse(drive);
  if (!plant.rotors.empty()) show_at_motors(arm, shafts, plant);
  if (options.flexible_links && has_flexible_links(arm.description())) add_flexible_links(arm, plant);
  return result;
}

void add_flexible_links(const Arm& arm, PlantDescription& plant) {
  ElasticArm elastic = with_elastic_joints(arm.description());
  FlexibleArm flexible{Arm(std::move(elastic.description)), {}, std::move(elastic.joint)};
  const Eigen::MatrixXd M = mass_matrix<double>(flexible.arm, VecX<double>::Zero(flexible.arm.dof()));
  if (cholesky(M).size() == 0)
    throw ModelError(fmt::format("arm '{}': its flexible links bend or twist where nothing has inertia", arm.name()),
                     "give each beam its mass, and flexible.axial_inertia where it twists and carries nothing wide; or "
                     "plant.flexible_links: false");
  for (const ElasticJoint& joint : elastic.elastic) {
    const int axis = arm.dof() + static_cast<int>(plant.rotors.size() + flexible.angles.size());
    plant.springs.push_back(
        {.name = joint.name, .driver = ground, .driven = axis, .stiffness = joint.stiffness, .damping = joint.damping});
    flexible.angles.push_back(joint.name);
  }
  const Eigen::Index angles = flexible.angles.size();
  for (Eigen::MatrixXd* shown : {&plant.motor_encoders, &plant.motor_tachometers})  // instruments see none of it
    if (shown->size() > 0) {
      shown->conservativeResize(Eigen::NoChange, shown->cols() + angles);
      shown->rightCols(angles).setZero();
    }
  plant.flexible = std::move(flexible);
}

void ReducedDrive::fields(Fields& f) {
  f.integer("joint", joint, "number of the joint, from 1", Range::positive);
  f.numbers("A", A, dimension::none, "of z' = A z + B (command, speed), row by row, in SI units");
  f.numbers("B", B, dimension::none, "row by row: two numbers per state, for the command and the speed of the joint");
  f.numbers("C", C, dimension::none, "of torque = C z + D (command, speed): one number per state");
  f.numbers("D", D, dimension::none, "two numbers, for the command and the speed");
}

void ComposeOptions::fields(Fields& f) {
  f.word("drives", drives, {"ideal", "rigid", "elastic"}, "what stands between motor and joint");
  f.flag("flexible_links", flexible_links, "links bend and twist where the arm's file says so; false: they are rigid");
  f.word("command", command, {"torque", "current", "voltage"}, "what the motors are fed with");
  f.groups("reduced", reduced, "linear models in place of elastic drives, as linearize --reduce-drives writes them");
  f.flag("friction", friction, "joint friction as in the arm file");
  f.joints("viscous", viscous, joint_dimension::damping, "viscous friction in place of the arm's file",
           Range::not_negative);
  enum class Stick { smooth, exact } stick = exact_stick ? Stick::exact : Stick::smooth;
  f.word("stick", stick, {"smooth", "exact"}, "sign of dry friction: smoothed, or true sticking with located events");
  exact_stick = stick == Stick::exact;
  f.number("smoothing", smoothing, dimension::rate, "speed over which a smoothed sign changes", Range::positive);
  f.flag("torque_limits", torque_limits,
         "motors saturate at the limits of the arm: torque, and current and voltage of its drives");
}

}  // namespace armature::plant
