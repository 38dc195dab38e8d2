#include "armature/algorithms/forward_kinematics.hpp"

#include "armature/algorithms/internal/joint_motion.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

//     X_WB_i = X_WB_(i-1) X_PB_i(q_i)
template <Scalar S>
void forward_kinematics(const Arm& arm, const VecX<S>& q, LinkPoses<S>& poses) {
  poses.dof = arm.dof();
  Pose<S>* X_WB = poses.X_WB.data();
  X_WB[0] = joint_pose<S>(arm.body(0), q[0]);
  for (int i = 1; i < poses.dof; ++i) {
    const Pose<S> X_PB = joint_pose<S>(arm.body(i), q[i]);
    X_WB[i].R.noalias() = X_WB[i - 1].R * X_PB.R;
    X_WB[i].p.noalias() = X_WB[i - 1].p + X_WB[i - 1].R * X_PB.p;
  }
}

template <Scalar S>
Pose<S> tool_pose(const Arm& arm, const LinkPoses<S>& poses) {
  return poses.X_WB[poses.dof - 1] * arm.X_BT().template cast<S>();
}

template <Scalar S>
Pose<S> frame_pose(const Frame& frame, const LinkPoses<S>& poses) {
  const Pose<S> X_BF = frame.X_BF.template cast<S>();
  return frame.body < 0 ? X_BF : poses.X_WB[frame.body] * X_BF;
}

#define ARMATURE_INSTANTIATE(S)                                                \
  template void forward_kinematics(const Arm&, const VecX<S>&, LinkPoses<S>&); \
  template Pose<S> tool_pose(const Arm&, const LinkPoses<S>&);                 \
  template Pose<S> frame_pose(const Frame&, const LinkPoses<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
