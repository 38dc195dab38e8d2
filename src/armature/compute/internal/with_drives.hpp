// The arm together with its drives: friction in the joints and rotors behind gears, added to rigid-body dynamics.
#pragma once

#include <span>

#include "armature/algorithms/wrench.hpp"

namespace armature::compute {

/// Which parts of the drives count.
struct DriveParts {
  bool friction = false, rotor = false;
};

/// What the drives must give on top of the rigid-body torques r: friction(qd, load r) + rotor inertia * qdd.
VecX<double> drive_torque(const Arm& arm, const DriveParts& parts, const VecX<double>& qd, const VecX<double>& qdd,
                          const VecX<double>& r);

/// Accelerations when the drives give `tau`: the inverse of rigid-body torques plus drive_torque. Throws Error where
/// friction that grows with the load locks a joint.
VecX<double> driven_acceleration(const Arm& arm, const DriveParts& parts, const VecX<double>& q, const VecX<double>& qd,
                                 const VecX<double>& tau, std::span<const BodyWrench<double>> wrenches);

}  // namespace armature::compute
