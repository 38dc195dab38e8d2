#include "armature/algorithms/jacobian.hpp"

#include "armature/algorithms/internal/inertia_as.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

//     revolute:  J_i = (z_i × (p - p_i); z_i)        (1)
//     prismatic: J_i = (z_i; 0)                      (2)   [Siciliano2009, (3.30)]
template <Scalar S>
void jacobian(const Arm& arm, const LinkPoses<S>& poses, int body, const Vec3<S>& p_W, Mat6X<S>& J) {
  const int n = arm.dof();
  J.resize(6, n);
  for (int i = 0; i < n; ++i) {
    const Pose<S>& X = poses.X_WB[i];
    const Vec3<S> z = X.R.col(2);
    if (i > body) {
      J.col(i).setConstant(S(0));
    } else if (arm.body(i).revolute) {
      J.col(i).template head<3>() = cross<S>(z, p_W - X.p);  // (1)
      J.col(i).template tail<3>() = z;
    } else {
      J.col(i).template head<3>() = z;  // (2)
      J.col(i).template tail<3>().setConstant(S(0));
    }
  }
}

template <Scalar S>
Mat6X<S> tool_jacobian(const Arm& arm, const LinkPoses<S>& poses) {
  Mat6X<S> J;
  jacobian<S>(arm, poses, arm.dof() - 1, tool_pose(arm, poses).p, J);
  return J;
}

//     zd_i = w_i × z_i                                              (3)
//     revolute:  Jd_i = (zd_i × r + z_i × (pd - pd_i); zd_i)        (4)  r = p - p_i
//     prismatic: Jd_i = (zd_i; 0)                                   (5)
template <Scalar S>
Mat6X<S> tool_jacobian_rate(const Arm& arm, const LinkPoses<S>& poses, const VecX<S>& qd) {
  const int n = arm.dof();
  std::array<Vec3<S>, max_joints> w, pd;  // angular velocity and velocity of the origin of each body
  Vec3<S> w_i = Vec3<S>::Constant(S(0)), pd_i = Vec3<S>::Constant(S(0)), p_i = Vec3<S>::Constant(S(0));
  for (int i = 0; i < n; ++i) {
    const Pose<S>& X = poses.X_WB[i];
    const Vec3<S> z = X.R.col(2);
    pd_i += cross<S>(w_i, X.p - p_i);
    if (arm.body(i).revolute)
      w_i += z * qd[i];
    else
      pd_i += z * qd[i];
    p_i = X.p;
    w[i] = w_i;
    pd[i] = pd_i;
  }
  const Vec3<S> p = tool_pose(arm, poses).p;
  const Vec3<S> pd_tool = pd_i + cross<S>(w_i, p - p_i);

  Mat6X<S> Jd(6, n);
  for (int i = 0; i < n; ++i) {
    const Pose<S>& X = poses.X_WB[i];
    const Vec3<S> z = X.R.col(2), zd = cross<S>(w[i], z);  // (3)
    if (arm.body(i).revolute) {
      Jd.col(i).template head<3>() = cross<S>(zd, p - X.p) + cross<S>(z, pd_tool - pd[i]);  // (4)
      Jd.col(i).template tail<3>() = zd;
    } else {
      Jd.col(i).template head<3>() = zd;  // (5)
      Jd.col(i).template tail<3>().setConstant(S(0));
    }
  }
  return Jd;
}

#define ARMATURE_INSTANTIATE(S)                                                            \
  template void jacobian(const Arm&, const LinkPoses<S>&, int, const Vec3<S>&, Mat6X<S>&); \
  template Mat6X<S> tool_jacobian(const Arm&, const LinkPoses<S>&);                        \
  template Mat6X<S> tool_jacobian_rate(const Arm&, const LinkPoses<S>&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
