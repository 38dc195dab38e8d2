#include "armature/simulation/reduced_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/simulation/linearize.hpp"

namespace armature::simulation {

namespace {

using Complex = std::complex<double>;

/// The chain at the motor's shaft, without play: rotor, tachometer, gear, load.
PlantDescription chain_of(const Drive& d, double load, double load_viscous) {
  const double N2 = std::pow(d.gear_ratio.value_or(1), 2);
  PlantDescription plant;
  const auto add = [&](const char* name, double inertia, double viscous) {
    plant.rotors.push_back({name, inertia});
    const int axis = static_cast<int>(plant.rotors.size()) - 1;
    plant.friction.push_back({axis, CoulombViscous{0, viscous}, false});
    return axis;
  };
  const auto join = [&](const char* name, int driver, int driven, double stiffness, double damping) {
    plant.springs.push_back(
        {.name = name, .driver = driver, .driven = driven, .stiffness = stiffness, .damping = damping});
  };
  const RotorAlone alone = rotor_alone(d);
  const int rotor = add("rotor", alone.inertia, alone.friction.viscous);
  if (d.tachometer_stiffness)
    join("tachometer", rotor, add("tachometer", *d.tachometer_inertia, d.tachometer_viscous.value_or(0)),
         *d.tachometer_stiffness, d.tachometer_damping.value_or(0));
  int gear = rotor;
  if (d.coupling_stiffness) {
    gear = add("gear", *d.gear_inertia, d.gear_viscous.value_or(0));
    join("coupling", rotor, gear, *d.coupling_stiffness, d.coupling_damping.value_or(0));
  }
  join("transmission", gear, add("load", load / N2, load_viscous / N2), *d.stiffness / N2, d.damping.value_or(0) / N2);
  return plant;
}

/// Why it has no linear model; empty: it has one.
std::string not_linear(const Drive& d, bool friction) {
  const auto there = [](const std::optional<double>& number) { return number.value_or(0) != 0; };
  if (there(d.backlash)) return "play";
  if (there(d.hardening)) return "a spring that hardens";
  if (there(d.hysteresis_torque)) return "hysteresis";
  if (there(d.gear_error)) return "an error of its gear";
  if (there(d.rotor_coulomb) && friction) return "dry friction at its rotor";
  return {};
}

/// The axes that turn with a joint's motor in front of its gear: rotor, tachometer, the gear's input.
std::vector<int> shafts_of(const PlantDescription& plant, int joint) {
  const int dof = plant.arm->dof();
  std::vector<int> shafts{plant.motors[joint].drives.front().first};
  for (std::size_t k = 0; k < shafts.size(); ++k)
    for (const Spring& spring : plant.springs)
      for (const auto& [here, there] :
           {std::pair(spring.driver, spring.driven), std::pair(spring.driven, spring.driver)})
        if (here == shafts[k] && there >= dof && std::count(shafts.begin(), shafts.end(), there) == 0)
          shafts.push_back(there);
  return shafts;
}

/// Largest answer to an input, over frequencies far beyond its modes and at the modes themselves.
double largest_answer(const StateSpace& s, Eigen::Index in) {
  std::vector<double> lines;
  double slow = 1e300, fast = 0;
  for (const Complex& value : eigenvalues(s.A)) {
    lines.push_back(std::abs(value) / (2 * pi));
    slow = std::min(slow, lines.back());
    fast = std::max(fast, lines.back());
  }
  slow = std::max(slow, 1e-9 * fast);
  for (int i = 0; i <= 400; ++i) lines.push_back(slow / 1e3 * std::pow(1e6 * fast / slow, i / 400.0));
  double most = 0;
  for (const Complex& answer : frequency_response(s, in, 0, lines)) most = std::max(most, std::abs(answer));
  return most;
}

Complex slowest_swing(const PlantDescription& description) {
  const Plant plant(description);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
  const Eigen::VectorXd u(0);
  for (const Mode& mode : modes_of(linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()))))
    if (mode.eigenvalue.imag() > 0) return mode.eigenvalue;
  throw Error("the drive's slowest motion is no swing, so it cannot be kept", "less damping, or keep all inertias");
}

}  // namespace

//  Let z be the drive's own states, p the angle that its motor turns behind the gear, and n what they are where nothing is twisted
//  and p = 1. With z = n p + w:   w' = A w + (a_v - n) p' + B u,   for A n + a_p = 0: what turns as a whole is not twisted.
StateSpace drive_model(const Arm& arm, int joint, const ComposeOptions& given) {
  const std::string& name = arm.joint(joint).name;
  const Drive& drive = arm.joint(joint).drive;
  ComposeOptions options = given;
  options.drives = ComposeOptions::Drives::elastic;
  options.flexible_links = false;
  options.torque_limits = false;
  options.reduced.clear();
  if (!drive.stiffness)
    throw Error(fmt::format("joint '{}' has no elastic drive", name), "drive.stiffness in the arm's file");
  if (const std::string why = not_linear(drive, options.friction); !why.empty())
    throw Error(fmt::format("the drive of joint '{}' has {}, and a linear model knows none", name, why),
                "leave it out of the arm's file, or keep it with --two-inertias");
  const Plant plant(compose(arm, options).plant);
  const int dof = arm.dof(), axes = plant.axes();
  int at = 0;  // a joint that the motor turns
  while (arm.couplings()(joint, at) == 0) ++at;
  const double factor = arm.couplings()(joint, at);

  VecX<double> turned = VecX<double>::Zero(dof), still = turned;
  turned[at] = 1 / factor;
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(dof), rest = plant.state_at(still, still),
                        along = plant.state_at(turned, still);
  Eigen::VectorXd x = rest;
  const Modes modes = plant.modes_at(0, x, u.data());
  const LinearPlant linear = linearize(plant, 0, x, u, modes);
  const std::vector<int> shafts = shafts_of(plant.description(), joint);
  std::vector<Eigen::Index> own(shafts.begin(), shafts.end());
  for (const int axis : shafts) own.push_back(axes + axis);
  for (Eigen::Index k = 2 * axes; k < linear.A.rows(); ++k)
    if (linear.states[k].name == "current_" + name) own.push_back(k);
  int gear = 0;  // the spring behind them all
  for (std::size_t k = 0; k < plant.description().springs.size(); ++k)
    if (const Spring& spring = plant.description().springs[k];
        std::count(shafts.begin(), shafts.end(), spring.driver) > 0 && spring.driven < dof)
      gear = static_cast<int>(k);
  const Eigen::Index n = own.size();
  StateSpace s{Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, 2), Eigen::MatrixXd(1, n), Eigen::MatrixXd(1, 2)};
  const auto torque = [&](const Eigen::VectorXd& state) { return plant.spring_torque(gear, state.data(), modes); };
  const double none = torque(rest);
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index l = 0; l < n; ++l) s.A(k, l) = linear.A(own[k], own[l]);
    s.B(k, 0) = linear.B(own[k], joint);
    s.B(k, 1) = linear.A(own[k], axes + at) / factor - (along - rest)[own[k]];
    s.C(0, k) = torque(rest + Eigen::VectorXd::Unit(rest.size(), own[k])) - none;
  }
  s.D << 0, torque(rest + Eigen::VectorXd::Unit(rest.size(), axes + at) / factor) - none;
  return s;
}

DriveReduction reduced_drive(const StateSpace& drive, int order, Reduction method) {
  DriveReduction result;
  StateSpace scaled = drive;
  for (Eigen::Index in = 0; in < 2; ++in) {
    result.peak[in] = largest_answer(drive, in);
    if (!(result.peak[in] > 0))
      throw Error("the drive answers one of its inputs with nothing", "its data in the arm's file");
    scaled.B.col(in) /= result.peak[in];
    scaled.D.col(in) /= result.peak[in];
  }
  result.model = reduced(scaled, order, method);
  for (Eigen::Index in = 0; in < 2; ++in) {
    result.model.system.B.col(in) *= result.peak[in];
    result.model.system.D.col(in) *= result.peak[in];
  }
  return result;
}

ReducedDrive as_setting(const StateSpace& drive, int joint) {
  const auto rows = [](const Eigen::MatrixXd& m) {
    const Eigen::MatrixXd row_by_row = m.transpose();
    return std::vector<double>(row_by_row.data(), row_by_row.data() + row_by_row.size());
  };
  return {joint + 1, rows(drive.A), rows(drive.B), rows(drive.C), rows(drive.D)};
}

//  Two inertias J with bearings b swing with s where (Z1 + k)(Z2 + k) = k², Z = J s² + b s, k = c + d s:
//      k = -Z1 Z2/(Z1 + Z2),   d = Im k/Im s,   c = Re k - d Re s.
Drive two_inertia_drive(const Drive& drive, double load_inertia, double load_viscous) {
  if (!drive.stiffness || (!drive.tachometer_stiffness && !drive.coupling_stiffness)) return drive;
  const double N2 = std::pow(drive.gear_ratio.value_or(1), 2);
  const double J = shaft_inertia(drive);
  const CoulombViscous friction = shaft_friction(drive);
  const Complex s = slowest_swing(chain_of(drive, load_inertia, load_viscous));
  const Complex Z1 = J * s * s + friction.viscous * s, Z2 = (load_inertia * s * s + load_viscous * s) / N2;
  const Complex k = -Z1 * Z2 / (Z1 + Z2);
  Drive two = drive;
  two.rotor_inertia = J;
  two.rotor_viscous = friction.viscous;
  if (friction.coulomb > 0) two.rotor_coulomb = friction.coulomb;
  two.damping = N2 * k.imag() / s.imag();
  two.stiffness = N2 * k.real() - *two.damping * s.real();
  for (std::optional<double>* gone :
       {&two.tachometer_inertia, &two.tachometer_stiffness, &two.tachometer_damping, &two.tachometer_viscous,
        &two.gear_inertia, &two.coupling_stiffness, &two.coupling_damping, &two.gear_viscous})
    gone->reset();
  return two;
}

Arm with_two_inertia_drives(const Arm& arm, const VecX<double>& q) {
  const MatX<double> M = mass_matrix<double>(arm, q);
  ArmDescription description = arm.description();
  int moving = 0;
  for (JointDescription& joint : description.joints) {
    if (joint.type == JointType::fixed) continue;
    const auto* law = std::get_if<CoulombViscous>(&joint.friction);
    joint.drive = two_inertia_drive(joint.drive, M(moving, moving), law ? law->viscous : 0);
    ++moving;
  }
  return arm.with_description(std::move(description));
}

}  // namespace armature::simulation
