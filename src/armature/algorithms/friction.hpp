// Friction torques of the laws in model/friction.hpp: the one place where they are evaluated. The regressor, the plant,
// compensation and the observers all call this.
#pragma once

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// Speed over which the sign of laws with a jump is smoothed where a smooth function is asked for: tanh(qd/width).
inline constexpr double default_sign_width = 1e-3;  // [rad/s | m/s]

/// Torque of sliding with speed `qd` when the motion goes in `direction` (+1 or -1): the law on that side of zero,
/// continued through zero, so that it is smooth. `load` is the torque that the joint carries (load-dependent laws only).
/// LuGre: its steady state.
template <Scalar S>
S sliding_friction(const Friction& friction, const S& qd, int direction, const S& load);

/// Largest torque that friction holds against while the joint stands still, pushed in `direction`; zero for laws without
/// a jump. At least the sliding torque just after breaking away.
double breakaway_friction(const Friction& friction, int direction, double load);

/// True for laws that jump at zero speed (Coulomb, Stribeck, asymmetric, load-dependent).
bool has_jump(const Friction& friction);

/// Torque as a function of speed: exact, with the sign of zero zero. LuGre: its steady state.
double friction_torque(const Friction& friction, double qd, double load = 0);

/// The same with the jump smoothed over `width`, for any number: what feed-forward, optimization and generated code use.
template <Scalar S>
S smooth_friction(const Friction& friction, const S& qd, const S& load, double width = default_sign_width);

/// Of all joints of an arm; `load` has one torque per joint, that of links and rotors: what friction leaves of the drives' torques. What rubs at the motors'
/// shafts is part of it: motor k turns with N_k (C qd)_k, and the joints feel its friction times N_k and Cᵀ.
VecX<double> friction_torque(const Arm& arm, const VecX<double>& qd, const VecX<double>& load);

/// The same with jumps smoothed over `width`.
template <Scalar S>
VecX<S> smooth_friction(const Arm& arm, const VecX<S>& qd, const VecX<S>& load, double width = default_sign_width);

}  // namespace armature::algorithms
