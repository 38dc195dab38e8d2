#include "armature/algorithms/derivatives.hpp"

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/internal/composite_moments.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/numerics/ldlt.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

//  Notation of coriolis.cpp; V_0 = 0, the base accelerates with -g:
//     V_j = V_(j-1) + Q_j qd_j,   Vd_j = Vd_(j-1) + Q_j qdd_j + Qd_j qd_j                            (1)
//     Qd_j = [V_(j-1), Q_j],   Qdd_j = [Vd_(j-1), Q_j] + [V_(j-1), Qd_j]                              (2)
//     tau_i = tr(F_i Q_iᵀ),   F_i = sum_(p >= i) (force on p) - (wrench on p)                         (3)
//  A change of q_j carries the bodies behind joint j along with Q_j, and their motion differs from a carried one by
//     d(T_p'')/dq_j = (Qdd_j + 2 Qd_j V_p) T_p + Q_j T_p''                                            (4)
//  The carried part leaves tau_i alone for i >= j, and turns F_j for i < j:
//     i >= j:  dtau_i/dq_j = tr(Qdd_j (Q_i J)ᵀ) + 2 tr(Qd_j (Q_i VJᵀ)ᵀ)                               (5)
//     i <  j:  dtau_i/dq_j = tr((Qdd_j J + 2 Qd_j VJ) Q_iᵀ) + tr((F_j carried along by Q_j) Q_iᵀ)     (6)
//     dtau/dqd = 2 C,   dtau_i/dqdd_j = tr(Q_j (Q_i J)ᵀ)                                              (7)
template <Scalar S>
void inverse_dynamics_derivatives(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd,
                                  std::span<const BodyWrench<S>> wrenches, InverseDynamicsDerivatives<S>& d) {
  const int n = arm.dof();
  d.dq.resize(n, n);
  d.dqd.resize(n, n);
  d.M.resize(n, n);
  const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
  const Vec3<S> origin = poses.X_WB[0].p, zero = Vec3<S>::Constant(S(0));
  std::array<Twist<S>, max_joints> Q, Qd, Qdd, V;
  std::array<Inertia<S>, max_joints> inertia;
  std::array<Wrench<S>, max_joints> F;
  Twist<S> V_P{zero, zero}, Vd_P{-arm.gravity().template cast<S>(), zero};
  for (int j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const Pose<S> X{poses.X_WB[k].R, poses.X_WB[k].p - origin};
    Q[k] = joint_twist<S>(arm.body(j), poses.X_WB[k], origin);
    Qd[k] = commutator<S>(V_P, Q[k]);  // (2)
    Qdd[k] = commutator<S>(Vd_P, Q[k]) + commutator<S>(V_P, Qd[k]);
    V[k] = V_P = V_P + Q[k] * qd[j];  // (1)
    Vd_P = Vd_P + Q[k] * qdd[j] + Qd[k] * qd[j];
    inertia[k] = seen_from<S>(X, inertia_as(arm.body(j), S{}));
    F[k] = force_on<S>(inertia[k], V[k], Vd_P);
  }
  for (const BodyWrench<S>& wrench : wrenches) {
    const auto k = static_cast<std::size_t>(wrench.body);
    const Vec3<S> f = poses.X_WB[k].R * wrench.f;
    F[k].f -= f;
    F[k].n -= poses.X_WB[k].R * wrench.mu + cross<S>(poses.X_WB[k].p - origin, f);
  }

  const S two(2);
  CompositeMoments<S> moments;
  for (int m = n - 1; m >= 0; --m) {
    const auto k = static_cast<std::size_t>(m);
    if (m + 1 < n) F[k] = F[k] + F[k + 1];  // (3)
    moments.add(inertia[k], V[k]);
    const Wrench<S> row = momentum<S>(Q[k], moments);
    const Wrench<S> row_turned{zero, momentum_turned_back<S>(Q[k], moments) * two};
    const Wrench<S> column_qd = (momentum<S>(Qd[k], moments) + momentum_turned<S>(Q[k].w, moments)) * two;
    const Wrench<S> column_q = momentum<S>(Qdd[k], moments) + momentum_turned<S>(Qd[k].w, moments) * two;
    const Wrench<S> column_q_carried = column_q + carried<S>(Q[k], F[k]);
    for (int i = 0; i <= m; ++i) {
      const auto a = static_cast<std::size_t>(i);
      d.M(m, i) = d.M(i, m) = power<S>(Q[a], row);  // (7)
      d.dqd(i, m) = power<S>(Q[a], column_qd);
      d.dq(i, m) = power<S>(Q[a], i < m ? column_q_carried : column_q);  // (6)
      if (i == m) break;
      d.dqd(m, i) = power<S>(Qd[a], row) * two + power<S>(Q[a], row_turned);
      d.dq(m, i) = power<S>(Qdd[a], row) + power<S>(Qd[a], row_turned);  // (5)
    }
  }
  add_spring_stiffness<S>(arm, q, d.dq);
}

//     qdd = FD(q, qd, tau):  ID(q, qd, FD(q, qd, tau)) = tau  =>  dFD = -M⁻¹ dID,  dFD/dtau = M⁻¹
template <Scalar S>
void forward_dynamics_derivatives(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& tau,
                                  std::span<const BodyWrench<S>> wrenches, ForwardDynamicsDerivatives<S>& d) {
  const int n = arm.dof();
  forward_dynamics<S>(arm, q, qd, tau, wrenches, d.qdd);
  InverseDynamicsDerivatives<S> inverse;
  inverse_dynamics_derivatives<S>(arm, q, qd, d.qdd, wrenches, inverse);
  d.dq = -inverse.dq;
  d.dqd = -inverse.dqd;
  d.dtau.resize(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) d.dtau(i, j) = S(i == j ? 1 : 0);
  ldlt_in_place(inverse.M);
  ldlt_solve_in_place(inverse.M, d.dq);
  ldlt_solve_in_place(inverse.M, d.dqd);
  ldlt_solve_in_place(inverse.M, d.dtau);
}

#define ARMATURE_INSTANTIATE(S)                                                                               \
  template void inverse_dynamics_derivatives(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&,      \
                                             std::span<const BodyWrench<S>>, InverseDynamicsDerivatives<S>&); \
  template void forward_dynamics_derivatives(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&,      \
                                             std::span<const BodyWrench<S>>, ForwardDynamicsDerivatives<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
