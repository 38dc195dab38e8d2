// How the bodies of a reduced arm move, written to be traced.
#pragma once

#include "armature/codegen/derive/internal/turning.hpp"

namespace armature::codegen {

/// In the axes in which the body's equations are written.
template <Scalar S>
struct BodyMotion {
  Vec3<S> w;     // angular velocity
  S dx, dy, dz;  // angular acceleration
  Vec3<S> a;     // acceleration of the origin less gravity
  Mat3<S> U;     // [dw]× + [w]×²: the acceleration of a point at r is a + U r
};

template <Scalar S>
struct ArmMotion {
  std::vector<Angle<S>> angle;  // of the bodies' own axes in those of their groups
  std::vector<Vec3<S>> lever;   // from the previous origin to a body's (prismatic joints at zero), in the previous axes
  std::vector<Vec3<S>> slide;   // directions of prismatic joints
  std::vector<BodyMotion<S>> bodies;  // one a body
  std::vector<S> kept;                // sums of speeds that are better computed once than multiplied out
};

template <Scalar S>
ArmMotion<S> reduced_motion(const ReducedArm& arm, const Choices& choices, const VecX<S>& q, const VecX<S>& qd,
                            const VecX<S>& qdd);

}  // namespace armature::codegen
