#include "armature/algorithms/lagrange.hpp"

#include <algorithm>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

template <Scalar S>
using Mat4 = Eigen::Matrix<S, 4, 4>;

/// tr(A Bᵀ)
template <Scalar S>
S trace_of_product(const Mat4<S>& A, const Mat4<S>& B) {
  S sum(0);
  for (int k = 0; k < 16; ++k) sum += A(k) * B(k);
  return sum;
}

/// ∫ (x; 1) (x; 1)ᵀ dm over the body, x in its frame: [½ tr(I) 1 - I, h; hᵀ, m]
Mat4<double> pseudo_inertia(const Inertia<double>& I) {
  Mat4<double> J;
  J.topLeftCorner<3, 3>() = Mat3<double>::Identity() * (0.5 * I.I_Bo.trace()) - I.I_Bo;
  J.topRightCorner<3, 1>() = I.h;
  J.bottomLeftCorner<1, 3>() = I.h.transpose();
  J(3, 3) = I.m;
  return J;
}

}  // namespace

//  T_p is the pose of body p as a 4 x 4 matrix, J_p its pseudo-inertia. A joint moves all bodies behind it as one:
//     dT_p/dq_j = Q_j T_p,   d²T_p/dq_j dq_k = Q_j Q_k T_p  for j <= k <= p, 0 beyond p        (1)
//     Q = [[z]× p×z; 0 0] (revolute),  [0 z; 0 0] (prismatic)                                  (2)
//  so the sums over bodies in [Vandeven1986, (9)], [Hollerbach1980] are one composite pseudo-inertia:
//     J(i) = sum_(p >= i) T_p J_p T_pᵀ                                                         (3)
//     D_ij = tr(Q_j J(max) Q_iᵀ)                                                               (4)
//     D_ijk = tr(Q_j Q_k J(max) Q_iᵀ)   for j <= k                                             (5)
//     D_i = -gᵀ Q_i J(i) (0; 1)                                                                (6)
template <Scalar S>
LagrangeForm<S>::LagrangeForm(const Arm& arm, const VecX<S>& q) : dof_(arm.dof()) {
  g_ << arm.gravity(), 0;
  const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
  for (int i = dof_ - 1; i >= 0; --i) {
    const auto k = static_cast<std::size_t>(i);
    const Pose<S>& X = poses.X_WB[k];
    const Vec3<S> z = X.R.col(2);
    Q_[k].setConstant(S(0));
    if (arm.body(i).revolute) {
      Q_[k].template topLeftCorner<3, 3>() = skew<S>(z);
      Q_[k].template topRightCorner<3, 1>() = skew<S>(X.p) * z;  // (2)
    } else {
      Q_[k].template topRightCorner<3, 1>() = z;
    }
    Mat4 T;
    T << X.R, X.p, Eigen::Matrix<S, 1, 4>(S(0), S(0), S(0), S(1));
    J_[k] = Mat4(T * pseudo_inertia(arm.body(i).inertia).template cast<S>()) * T.transpose();
    if (i + 1 < dof_) J_[k] += J_[k + 1];  // (3)
    QJ_[k] = Q_[k] * J_[k];
  }
}

template <Scalar S>
S LagrangeForm<S>::inertia(int i, int j) const {
  if (i < j) std::swap(i, j);
  return trace_of_product<S>(Q_[j], QJ_[i]);  // (4)
}

template <Scalar S>
S LagrangeForm<S>::coriolis(int i, int j, int k) const {
  const auto first = static_cast<std::size_t>(std::min(j, k)), last = static_cast<std::size_t>(std::max(j, k));
  const auto row = static_cast<std::size_t>(i);
  const Mat4 T_jk = Q_[first] * Q_[last];
  return trace_of_product<S>(Mat4(T_jk * J_[std::max(last, row)]), Q_[row]);  // (5)
}

template <Scalar S>
S LagrangeForm<S>::gravity(int i) const {
  S sum(0);
  for (int k = 0; k < 3; ++k) sum -= S(g_[k]) * QJ_[i](k, 3);  // (6)
  return sum;
}

template <Scalar S>
void LagrangeForm<S>::inverse_dynamics(const VecX<S>& qd, const VecX<S>& qdd, VecX<S>& tau) const {
  tau.resize(dof_);
  for (int i = 0; i < dof_; ++i) {
    tau[i] = gravity(i);
    for (int j = 0; j < dof_; ++j) tau[i] += inertia(i, j) * qdd[j];
  }
  for (int k = 0; k < dof_; ++k)
    for (int j = 0; j <= k; ++j) {
      const auto a = static_cast<std::size_t>(j), b = static_cast<std::size_t>(k);
      const Mat4 T_jk = Q_[a] * Q_[b], T_jk_J = Q_[a] * QJ_[b];
      const S speeds = qd[j] * qd[k] * S(j < k ? 2 : 1);
      for (int i = 0; i < dof_; ++i) {  // (5), with what does not depend on i taken out
        const auto row = static_cast<std::size_t>(i);
        tau[i] += (i <= k ? trace_of_product<S>(T_jk_J, Q_[row]) : trace_of_product<S>(T_jk, QJ_[row])) * speeds;
      }
    }
}

template <Scalar S>
VecX<S> lagrange_inverse_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd) {
  VecX<S> tau;
  LagrangeForm<S>(arm, q).inverse_dynamics(qd, qdd, tau);
  add_spring_torque<S>(arm, q, tau);
  return tau;
}

#define ARMATURE_INSTANTIATE(S)   \
  template class LagrangeForm<S>; \
  template VecX<S> lagrange_inverse_dynamics(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
