// The rotors as the joints feel them.
#pragma once

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// All that turns with the motor's shaft: rotor, tachometer and the gear's input [kg m²].
double shaft_inertia(const Drive& drive);
/// The drive with that inertia on its shaft, shared out as before; all of it the rotor's where there was none.
Drive with_shaft_inertia(Drive drive, double inertia);

/// Rubbing of all that turns with the motor's shaft, at the shaft.
CoulombViscous shaft_friction(const Drive& drive);
/// The drive whose shaft rubs so: all of it the rotor's.
Drive with_shaft_friction(Drive drive, const CoulombViscous& friction);

/// N² J of motor i: its shaft's inertia seen from the joint side of its gear [kg m² | kg]. Zero for a motor whose rotor
/// is not described; a motor without a gear ratio turns with its joint.
double reflected_rotor_inertia(const Arm& arm, int motor);

/// Cᵀ diag(N² J) C with the couplings C between motors and joints: what the rotors add to M(q). Constant.
MatX<double> reflected_inertia(const Arm& arm);

/// Torques that accelerate the rotors: reflected_inertia(arm) * qdd.
template <Scalar S>
VecX<S> rotor_torque(const Arm& arm, const VecX<S>& qdd);

}  // namespace armature::algorithms
