#include "armature/algorithms/forward_kinematics.hpp"

#include "armature/algorithms/internal/triple.hpp"
#include "armature/scalar/scalars.hpp"
#include "armature/scalar/sin_cos.hpp"
#include "armature/scalar/wide_registers.hpp"

namespace armature::algorithms {

namespace {

template <Scalar S>
[[gnu::always_inline]] inline void write(const Columns<S>& R, const Triple<S>& p, Pose<S>& X) {
  X.R << R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z;
  X.p << p.x, p.y, p.z;
}

/// X_AB X_BC, its sums in the order of triple.hpp.
template <Scalar S>
Pose<S> placed(const Pose<S>& X_AB, const Pose<double>& X_BC) {
  const Columns<S> R_AB = columns<S>(X_AB.R);
  const Columns<S> R_BC = columns<S>(X_BC.R);
  Pose<S> X_AC;
  write(product(R_AB, R_BC), Triple<S>(X_AB.p) + turned(R_AB, Triple<S>(X_BC.p)), X_AC);
  return X_AC;
}

}  // namespace

//     X_WB_i = X_WB_(i-1) X_PB_i(q_i)
template <Scalar S>
void forward_kinematics(const Arm& arm, const VecX<S>& q, LinkPoses<S>& poses) {
  const int n = arm.dof();
  const Body* bodies = arm.bodies().data();
  poses.dof = n;
  std::array<S, max_joints> s, c;
  sin_cos(q.data(), n, s.data(), c.data());
  in_wide_registers<S>([&] {
    Columns<S> R = joint_axes<S>(bodies[0], s[0], c[0]);
    Triple<S> p = joint_offset<S>(bodies[0], q[0]);
    write(R, p, poses.X_WB[0]);
    for (int i = 1; i < n; ++i) {
      p += turned(R, joint_offset<S>(bodies[i], q[i]));
      R = product(R, joint_axes<S>(bodies[i], s[i], c[i]));
      write(R, p, poses.X_WB[i]);
    }
  });
}

template <Scalar S>
Pose<S> tool_pose(const Arm& arm, const LinkPoses<S>& poses) {
  return placed(poses.X_WB[poses.dof - 1], arm.X_BT());
}

template <Scalar S>
Pose<S> frame_pose(const Frame& frame, const LinkPoses<S>& poses) {
  return frame.body < 0 ? frame.X_BF.template cast<S>() : placed(poses.X_WB[frame.body], frame.X_BF);
}

#define ARMATURE_INSTANTIATE(S)                                                \
  template void forward_kinematics(const Arm&, const VecX<S>&, LinkPoses<S>&); \
  template Pose<S> tool_pose(const Arm&, const LinkPoses<S>&);                 \
  template Pose<S> frame_pose(const Frame&, const LinkPoses<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
