// Where every link is.
#pragma once

#include <array>

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// The bodies' frames in the world. A value: keep it, compare it, hand it to the functions that need it.
template <Scalar S>
struct LinkPoses {
  int dof = 0;
  std::array<Pose<S>, max_joints> X_WB;  // of body i; entries from dof on are unused
};

/// Computes where every body of the arm is in the world at the joint positions q. It takes O(n) and allocates nothing.
template <Scalar S>
void forward_kinematics(const Arm& arm, const VecX<S>& q, LinkPoses<S>& poses);

template <Scalar S>
LinkPoses<S> forward_kinematics(const Arm& arm, const VecX<S>& q) {
  LinkPoses<S> poses;
  forward_kinematics(arm, q, poses);
  return poses;
}

/// Returns where the tool is in the world, from the poses of the bodies.
template <Scalar S>
Pose<S> tool_pose(const Arm& arm, const LinkPoses<S>& poses);

/// A described link's frame in the world (standard DH: the distal frame).
template <Scalar S>
Pose<S> frame_pose(const Frame& frame, const LinkPoses<S>& poses);

}  // namespace armature::algorithms

namespace armature {
using algorithms::forward_kinematics;
using algorithms::tool_pose;
}  // namespace armature
