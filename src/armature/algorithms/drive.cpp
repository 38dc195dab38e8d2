#include "armature/algorithms/drive.hpp"

#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

double shaft_inertia(const Drive& d) {
  return d.rotor_inertia.value_or(0) + d.tachometer_inertia.value_or(0) + d.gear_inertia.value_or(0);
}

Drive with_shaft_inertia(Drive d, double inertia) {
  const double before = shaft_inertia(d);
  if (!(before > 0) || !(inertia > 0)) {
    d.rotor_inertia = inertia;
    return d;
  }
  for (std::optional<double>* part : {&d.rotor_inertia, &d.tachometer_inertia, &d.gear_inertia})
    if (*part) **part *= inertia / before;
  return d;
}

CoulombViscous shaft_friction(const Drive& d) {
  return {d.rotor_coulomb.value_or(0),
          d.rotor_viscous.value_or(0) + d.tachometer_viscous.value_or(0) + d.gear_viscous.value_or(0)};
}

Drive with_shaft_friction(Drive d, const CoulombViscous& friction) {
  d.tachometer_viscous.reset();
  d.gear_viscous.reset();
  d.rotor_coulomb = friction.coulomb > 0 ? std::optional(friction.coulomb) : std::nullopt;
  d.rotor_viscous = friction.viscous > 0 ? std::optional(friction.viscous) : std::nullopt;
  return d;
}

double reflected_rotor_inertia(const Arm& arm, int motor) {
  const Drive& drive = arm.joint(motor).drive;
  const double N = drive.gear_ratio.value_or(1);
  return N * N * shaft_inertia(drive);
}

MatX<double> reflected_inertia(const Arm& arm) {
  VecX<double> at_joint(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) at_joint[i] = reflected_rotor_inertia(arm, i);
  return arm.couplings().transpose() * at_joint.asDiagonal() * arm.couplings();
}

template <Scalar S>
VecX<S> rotor_torque(const Arm& arm, const VecX<S>& qdd) {
  return reflected_inertia(arm).template cast<S>().lazyProduct(qdd);
}

#define ARMATURE_INSTANTIATE(S) template VecX<S> rotor_torque(const Arm&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
