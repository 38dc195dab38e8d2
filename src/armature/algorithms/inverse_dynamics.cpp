#include "armature/algorithms/inverse_dynamics.hpp"

#include <type_traits>

#include "armature/algorithms/internal/joint_motion.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

//  Everything of body i is in its own frame B; R, p are its pose in its parent P; z its joint's axis; w, dw, a its angular
//  velocity, angular acceleration and the acceleration of its origin less gravity; K = [dw]× + [w]×².
//
//     u = Rᵀ w_P                                                          (1)
//     revolute:   w = u + z qd,  dw = Rᵀ dw_P + u × z qd + z qdd          (2)
//                 a = Rᵀ (a_P + K_P p)                                    (3)
//     prismatic:  w = u,         dw = Rᵀ dw_P                             (2')
//                 a = Rᵀ (a_P + K_P p) + 2 u × z qd + z qdd               (3')
//     f = m a + K h,   n = I dw + w × I w + h × a                         (4)
//     F = f + sum R_C F_C,   N = n + sum (R_C N_C + p_C × R_C F_C)        (5)
//     tau = z·N (revolute), z·F (prismatic)                               (6)
//
// `at_rest` (qd = 0) and `no_acceleration` (qdd = 0) leave out what is zero; the base accelerates with -g.
template <Scalar S, bool at_rest, bool no_acceleration>
void newton_euler(const Arm& arm, const S* q, const S* qd, const S* qdd, const Vec3<double>& g,
                  std::span<const BodyWrench<S>> wrenches, S* tau) {
  const int n = arm.dof();
  const Body* bodies = arm.bodies().data();
  std::array<Pose<S>, max_joints> X;
  std::array<Vec3<S>, max_joints> F, N;

  Vec3<S> w, dw, a = Vec3<S>(S(-g[0]), S(-g[1]), S(-g[2]));
  Mat3<S> K;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Body& body = bodies[i];
    X[k] = joint_pose<S>(body, q[i]);
    const Mat3<S>& R = X[k].R;
    if constexpr (at_rest && no_acceleration) {
      a = R.transpose() * a;
      const auto& I = inertia_as(body, S{});
      F[k] = a * I.m;
      N[k] = cross<S>(I.h, a);
    } else {
      if (i == 0) {
        a = R.transpose() * a;
        w = dw = Vec3<S>::Constant(S(0));
      } else {
        const Vec3<S> a_P = a + K * X[k].p;
        a = R.transpose() * a_P;                                 // (3)
        dw = Vec3<S>(R.transpose() * dw);                        // (2)
        if constexpr (!at_rest) w = Vec3<S>(R.transpose() * w);  // (1)
      }
      if (body.revolute) {
        if constexpr (!at_rest) {
          dw[0] += w[1] * qd[i];
          dw[1] -= w[0] * qd[i];
          w[2] += qd[i];
        }
        if constexpr (!no_acceleration) dw[2] += qdd[i];
      } else {
        if constexpr (!at_rest) {
          const S twice = qd[i] + qd[i];
          a[0] += w[1] * twice;
          a[1] -= w[0] * twice;  // (3')
        }
        if constexpr (!no_acceleration) a[2] += qdd[i];
      }
      const auto& I = inertia_as(body, S{});
      K = acceleration_matrix<S>(w, dw);
      F[k] = a * I.m + K * I.h;  // (4)
      N[k] = I.I_Bo * dw + cross<S>(I.h, a);
      if constexpr (!at_rest) N[k] += cross<S>(w, Vec3<S>(I.I_Bo * w));
    }
  }
  for (const BodyWrench<S>& wrench : wrenches) {
    F[wrench.body] -= wrench.f;
    N[wrench.body] -= wrench.mu;
  }
  for (int i = n - 1; i >= 0; --i) {
    const auto k = static_cast<std::size_t>(i);
    tau[i] = bodies[i].revolute ? N[k][2] : F[k][2];  // (6)
    if (i == 0) break;
    const Vec3<S> f = X[k].R * F[k];
    F[k - 1] += f;  // (5)
    N[k - 1] += X[k].R * N[k] + cross<S>(X[k].p, f);
  }
}

}  // namespace

template <Scalar S>
void inverse_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd,
                      std::span<const BodyWrench<S>> wrenches, VecX<S>& tau) {
  tau.resize(arm.dof());
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->inverse_dynamics && wrenches.empty())
      return k->inverse_dynamics(q.data(), qd.data(), qdd.data(), tau.data());
  newton_euler<S, false, false>(arm, q.data(), qd.data(), qdd.data(), arm.gravity(), wrenches, tau.data());
}

template <Scalar S>
VecX<S> gravity_torque(const Arm& arm, const VecX<S>& q) {
  VecX<S> tau(arm.dof());
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->gravity) {
      k->gravity(q.data(), tau.data());
      return tau;
    }
  newton_euler<S, true, true>(arm, q.data(), nullptr, nullptr, arm.gravity(), {}, tau.data());
  return tau;
}

template <Scalar S>
VecX<S> coriolis_torque(const Arm& arm, const VecX<S>& q, const VecX<S>& qd) {
  VecX<S> tau(arm.dof());
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->coriolis) {
      MatX<double> C_rows(arm.dof(), arm.dof());  // row by row: the transpose
      k->coriolis(q.data(), qd.data(), C_rows.data());
      tau.noalias() = C_rows.transpose() * qd;
      return tau;
    }
  newton_euler<S, false, true>(arm, q.data(), qd.data(), nullptr, Vec3<double>::Zero(), {}, tau.data());
  return tau;
}

#define ARMATURE_INSTANTIATE(S)                                                              \
  template void inverse_dynamics(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&, \
                                 std::span<const BodyWrench<S>>, VecX<S>&);                  \
  template VecX<S> gravity_torque(const Arm&, const VecX<S>&);                               \
  template VecX<S> coriolis_torque(const Arm&, const VecX<S>&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
