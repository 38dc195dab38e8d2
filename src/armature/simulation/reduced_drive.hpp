// Drives of several inertias by fewer states: as a linear model, or as one of two inertias.
#pragma once

#include "armature/plant/compose.hpp"
#include "armature/simulation/reduction.hpp"

namespace armature::simulation {

/// What stands between the command of a joint's motor and the arm, alone: inputs are the command and the speed of the motor's angle,
/// the output is the torque, both at the gear's slow side. It does not depend on the arm behind it. Throws Error where the joint has no
/// elastic drive, or one that is not linear: play, dry friction of the rotor, hardening, hysteresis, an error of the gear.
StateSpace drive_model(const Arm& arm, int joint, const ComposeOptions& options);

struct DriveReduction {
  /// Bound and Hankel singular values count each input in the size at which the whole drive answers it with 1 N m at most.
  ReducedModel model;
  Eigen::Vector2d peak;  // largest answers of the whole drive to its two inputs: the bound is a share of them
};
/// By `reduced`, with the inputs scaled so that the torque answers both alike.
DriveReduction reduced_drive(const StateSpace& drive, int order, Reduction method);

/// As a scenario's plant takes it.
ReducedDrive as_setting(const StateSpace& drive, int joint);

/// Modal truncation that leaves a drive: tachometer, rotor and what turns at the gear's input become one rotor, and the spring
/// and damper behind it those with which its slowest swing is the same, frequency and damping, against a load of
/// `load_inertia` that rubs with `load_viscous`, both at the joint. What turns freely weighs and rubs as before; play, hardening,
/// gear error and hysteresis stay. The same drive where it has no inertia on a shaft of its own. Throws Error where its slowest
/// motion is no swing.
Drive two_inertia_drive(const Drive& drive, double load_inertia, double load_viscous = 0);

/// The arm with every elastic drive reduced so, each against the inertia that its joint feels at q while the others stand.
Arm with_two_inertia_drives(const Arm& arm, const VecX<double>& q);

}  // namespace armature::simulation
