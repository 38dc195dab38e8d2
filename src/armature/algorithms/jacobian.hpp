// Geometric Jacobians and their time derivatives.
#pragma once

#include "armature/algorithms/forward_kinematics.hpp"

namespace armature::algorithms {

/// 6 x dof; rows are (v; w) of the point `p_W` [m], carried by body `body`, in world axes.
template <Scalar S>
void jacobian(const Arm& arm, const LinkPoses<S>& poses, int body, const Vec3<S>& p_W, Mat6X<S>& J);

/// Returns the Jacobian of the tool's origin: J qd is its velocity and its angular velocity, in world axes.
template <Scalar S>
Mat6X<S> tool_jacobian(const Arm& arm, const LinkPoses<S>& poses);

/// dJ/dt of the tool's Jacobian when the joints move with `qd`.
template <Scalar S>
Mat6X<S> tool_jacobian_rate(const Arm& arm, const LinkPoses<S>& poses, const VecX<S>& qd);

}  // namespace armature::algorithms

namespace armature {
using algorithms::tool_jacobian;
}  // namespace armature
