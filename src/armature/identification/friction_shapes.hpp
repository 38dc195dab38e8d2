// Friction laws with a shape, from the log of a whole arm: widths, speeds, slopes and bristles, joint by joint.
#pragma once

#include "armature/identification/friction_fit.hpp"
#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// RMS speed of each joint while it moves [rad/s | m/s].
VecX<double> typical_speeds(const Arm& arm, const MotionSource& source, const Processing& processing);

/// The law of that kind, for every joint, whose shape explains the joint's torques best beside any inertia (fit_friction), from
/// several starts around its typical speed. Rows that were low-passed have no speed of their own, so the parallel filter is
/// left out here; of long logs some ten thousand samples spread over them are used.
std::vector<FrictionFit> find_friction_shapes(const Arm& arm, const MotionSource& source, const Processing& processing,
                                              FrictionShape::Law law);

/// LuGre's law of every joint from the torques that `arm` without friction leaves over, along the whole motion: samples below
/// `standstill` are the presliding ones. A joint whose motion does not both slide and stick gets no law, and the reason why.
struct LuGreOfJoint {
  LuGreFit fit;
  std::string reason;  // empty: fit is one
};
std::vector<LuGreOfJoint> find_lugre(const Arm& arm, const MotionSource& source, const Processing& processing);

}  // namespace armature::identification
