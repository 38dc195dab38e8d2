// The dynamics in amperes and volts: what the motors are fed with so that the arm moves as asked [Kostic2002, (8)-(11)].
#pragma once

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// Between joints and windings: currents = current_per_torque * tau, voltages = resistance * currents + emf_per_speed * qd, where
/// inductances are neglected. Motor k turns with N_k (C qd)_k, and joints feel its torque times N_k and Cᵀ.
struct MotorWindings {
  MatX<double> current_per_torque;  // [A/(N m)]
  VecX<double> resistance;          // [ohm]; zero where the arm's file has none
  MatX<double> emf_per_speed;       // [V s/rad]
};

/// What a motor must be fed with.
enum class MotorFeed { current, voltage };

/// Throws ModelError where a drive does not state its torque constant or, to be fed with voltages, its resistance.
MotorWindings motor_windings(const Arm& arm, MotorFeed feed);

/// For rigid bodies, rotors and friction, with jumps of the friction smoothed (algorithms/friction.hpp) [A | V].
template <Scalar S>
VecX<S> motor_commands(const Arm& arm, const MotorWindings& windings, MotorFeed feed, const VecX<S>& q,
                       const VecX<S>& qd, const VecX<S>& qdd);

/// The same for rigid-body torques that are known already.
template <Scalar S>
VecX<S> motor_commands_for(const Arm& arm, const MotorWindings& windings, MotorFeed feed, const VecX<S>& rigid_torque,
                           const VecX<S>& qd, const VecX<S>& qdd);

/// What back EMF takes from the torques of motors that are fed with voltages, per joint speed: Cᵀ diag(N² K_T K_E / R) C [N m s/rad].
MatX<double> back_emf_damping(const Arm& arm);

}  // namespace armature::algorithms
