#include "armature/algorithms/drive.hpp"

#include "armature/scalar/scalars.hpp"

namespace armature {

double reflected_rotor_inertia(const Arm& arm, int motor) {
  const Drive& drive = arm.joint(motor).drive;
  const double N = drive.gear_ratio.value_or(1);
  return N * N * drive.rotor_inertia.value_or(0);
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

}  // namespace armature
