// A drive of several inertias as one of two: rotor and load with one spring between them.
#pragma once

#include "armature/model/arm.hpp"

namespace armature::simulation {

/// Modal truncation that leaves a drive: tachometer, rotor and what turns at the gear's input become one rotor, and the spring
/// and damper behind it those with which its slowest swing is the same, frequency and damping, against a load of
/// `load_inertia` that rubs with `load_viscous`, both at the joint. What turns freely weighs and rubs as before; play, hardening,
/// gear error and hysteresis stay. The same drive where it has no inertia on a shaft of its own. Throws Error where its slowest
/// motion is no swing.
Drive two_inertia_drive(const Drive& drive, double load_inertia, double load_viscous = 0);

/// The arm with every elastic drive reduced so, each against the inertia that its joint feels at q while the others stand.
Arm with_two_inertia_drives(const Arm& arm, const VecX<double>& q);

}  // namespace armature::simulation
