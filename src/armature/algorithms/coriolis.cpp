#include "armature/algorithms/coriolis.hpp"

#include <type_traits>

#include "armature/algorithms/internal/composite_moments.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

//  With T_p the pose of body p as a 4 x 4 matrix, J_p its pseudo-inertia, Q_j the twist of joint j (lagrange.cpp) and V_p
//  that of body p, the Christoffel symbols contracted with qd are
//     C_ij = sum_p tr(d/dt(dT_p/dq_j) J_p (dT_p/dq_i)ᵀ),   d/dt(dT_p/dq_j) = (Qd_j + Q_j V_p) T_p     (1)
//     V_j = V_(j-1) + Q_j qd_j,   Qd_j = V_(j-1) Q_j - Q_j V_(j-1)                                     (2)
//  and with J, VJ the sums over p >= max(i, j) of T_p J_p T_pᵀ and V_p T_p J_p T_pᵀ
//     j >= i:  C_ij = tr((Qd_j J + Q_j VJ) Q_iᵀ)                                                       (3)
//     j <  i:  C_ij = tr(Qd_j (Q_i J)ᵀ) + tr(Q_j (Q_i VJᵀ)ᵀ)                                           (4)
template <Scalar S>
void coriolis_matrix(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, MatX<S>& C) {
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->coriolis) {
      C.resize(arm.dof(), arm.dof());
      k->coriolis(q.data(), qd.data(), C.data());
      return C.transposeInPlace();  // written row by row
    }
  const int n = arm.dof();
  C.resize(n, n);
  const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
  const Vec3<S> origin = poses.X_WB[0].p;
  std::array<Twist<S>, max_joints> Q, Qd, V;
  Twist<S> V_P{Vec3<S>::Constant(S(0)), Vec3<S>::Constant(S(0))};
  for (int j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    Q[k] = joint_twist<S>(arm.body(j), poses.X_WB[k], origin);
    Qd[k] = commutator<S>(V_P, Q[k]);  // (2)
    V[k] = V_P = V_P + Q[k] * qd[j];
  }
  CompositeMoments<S> moments;
  for (int m = n - 1; m >= 0; --m) {
    const auto k = static_cast<std::size_t>(m);
    const Pose<S> X{poses.X_WB[k].R, poses.X_WB[k].p - origin};
    moments.add(seen_from<S>(X, inertia_as(arm.body(m), S{})), V[k]);
    const Wrench<S> column = momentum<S>(Qd[k], moments) + momentum_turned<S>(Q[k].w, moments);
    const Wrench<S> row = momentum<S>(Q[k], moments);
    const Wrench<S> row_turned{Vec3<S>::Constant(S(0)), momentum_turned_back<S>(Q[k], moments)};
    for (int i = 0; i <= m; ++i) {
      const auto a = static_cast<std::size_t>(i);
      C(i, m) = power<S>(Q[a], column);                                        // (3)
      if (i < m) C(m, i) = power<S>(Qd[a], row) + power<S>(Q[a], row_turned);  // (4)
    }
  }
}

#define ARMATURE_INSTANTIATE(S) template void coriolis_matrix(const Arm&, const VecX<S>&, const VecX<S>&, MatX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
