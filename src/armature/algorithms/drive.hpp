// The rotors as the joints feel them.
#pragma once

#include "armature/model/arm.hpp"

namespace armature {

/// N² J of motor i: its rotor's inertia seen from the joint side of its gear [kg m² | kg]. Zero for a motor whose rotor
/// is not described; a motor without a gear ratio turns with its joint.
double reflected_rotor_inertia(const Arm& arm, int motor);

/// Cᵀ diag(N² J) C with the couplings C between motors and joints: what the rotors add to M(q). Constant.
MatX<double> reflected_inertia(const Arm& arm);

/// Torques that accelerate the rotors: reflected_inertia(arm) * qdd.
template <Scalar S>
VecX<S> rotor_torque(const Arm& arm, const VecX<S>& qdd);

}  // namespace armature
