#include "armature/simulation/reduced_drive.hpp"

#include <complex>
#include <optional>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/simulation/linearise.hpp"

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
  double J = shaft_inertia(d), viscous = shaft_friction(d).viscous;
  const bool tachometer = d.tachometer_stiffness.has_value(), coupling = d.coupling_stiffness.has_value();
  if (tachometer) {
    J -= *d.tachometer_inertia;
    viscous -= d.tachometer_viscous.value_or(0);
  }
  if (coupling) {
    J -= *d.gear_inertia;
    viscous -= d.gear_viscous.value_or(0);
  }
  const int rotor = add("rotor", J, viscous);
  if (tachometer)
    join("tachometer", rotor, add("tachometer", *d.tachometer_inertia, d.tachometer_viscous.value_or(0)),
         *d.tachometer_stiffness, d.tachometer_damping.value_or(0));
  int gear = rotor;
  if (coupling) {
    gear = add("gear", *d.gear_inertia, d.gear_viscous.value_or(0));
    join("coupling", rotor, gear, *d.coupling_stiffness, d.coupling_damping.value_or(0));
  }
  join("transmission", gear, add("load", load / N2, load_viscous / N2), *d.stiffness / N2, d.damping.value_or(0) / N2);
  return plant;
}

Complex slowest_swing(const PlantDescription& description) {
  const Plant plant(description);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
  const Eigen::VectorXd u(0);
  for (const Mode& mode : modes_of(linearise(plant, 0, x, u, plant.modes_at(0, x, u.data()))))
    if (mode.eigenvalue.imag() > 0) return mode.eigenvalue;
  throw Error("the drive's slowest motion is no swing, so it cannot be kept", "less damping, or keep all inertias");
}

}  // namespace

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
  return Arm(std::move(description));
}

}  // namespace armature::simulation
