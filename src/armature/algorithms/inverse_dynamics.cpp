#include "armature/algorithms/inverse_dynamics.hpp"

#include <type_traits>

#include "armature/algorithms/internal/triple.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/scalar/scalars.hpp"
#include "armature/scalar/sin_cos.hpp"
#include "armature/scalar/wide_registers.hpp"

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
  std::array<Columns<S>, max_joints> R_PB;
  std::array<Triple<S>, max_joints> p_PB, F, N;
  std::array<S, max_joints> s, c;
  sin_cos(q, n, s.data(), c.data());

  const S zero(0);
  Triple<S> w(zero, zero, zero);
  Triple<S> dw = w;
  Triple<S> a(S(-g[0]), S(-g[1]), S(-g[2]));
  Columns<S> K;
  for (int i = 0; i < n; ++i) {
    const Body& body = bodies[i];
    const Columns<S> R = joint_axes<S>(body, s[i], c[i]);
    const Triple<S> p = joint_offset<S>(body, q[i]);
    const S m(body.inertia.m);
    const Triple<S> h(body.inertia.h);
    R_PB[i] = R;
    p_PB[i] = p;
    if constexpr (at_rest && no_acceleration) {
      a = turned_back(R, a);
      F[i] = a * m;
      N[i] = cross(h, a);
    } else {
      if (i == 0) {
        a = turned_back(R, a);
      } else {
        a = turned_back(R, a + turned(K, p));           // (3)
        dw = turned_back(R, dw);                        // (2)
        if constexpr (!at_rest) w = turned_back(R, w);  // (1)
      }
      if (body.revolute) {
        if constexpr (!at_rest) {
          dw.x += w.y * qd[i];
          dw.y -= w.x * qd[i];
          w.z += qd[i];
        }
        if constexpr (!no_acceleration) dw.z += qdd[i];
      } else {
        if constexpr (!at_rest) {
          const S twice = qd[i] + qd[i];
          a.x += w.y * twice;
          a.y -= w.x * twice;  // (3')
        }
        if constexpr (!no_acceleration) a.z += qdd[i];
      }
      const Symmetric<S> I(body.inertia.I_Bo);
      K = acceleration_columns(w, dw);
      F[i] = a * m + turned(K, h);  // (4)
      Triple<S> moment = I * dw + cross(h, a);
      if constexpr (!at_rest) moment += cross(w, I * w);
      N[i] = moment;
    }
  }
  for (const BodyWrench<S>& wrench : wrenches) {
    F[wrench.body] -= Triple<S>(wrench.f);
    N[wrench.body] -= Triple<S>(wrench.mu);
  }
  Triple<S> F_i = F[n - 1];
  Triple<S> N_i = N[n - 1];
  for (int i = n - 1; i > 0; --i) {
    tau[i] = bodies[i].revolute ? N_i.z : F_i.z;  // (6)
    const Triple<S> f = turned(R_PB[i], F_i);
    N_i = N[i - 1] + (turned(R_PB[i], N_i) + cross(p_PB[i], f));  // (5)
    F_i = F[i - 1] + f;
  }
  tau[0] = bodies[0].revolute ? N_i.z : F_i.z;
}

}  // namespace

template <Scalar S>
void inverse_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd,
                      std::span<const BodyWrench<S>> wrenches, VecX<S>& tau) {
  tau.resize(arm.dof());
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->inverse_dynamics && wrenches.empty())
      return k->inverse_dynamics(q.data(), qd.data(), qdd.data(), tau.data());
  in_wide_registers<S>([&] {
    newton_euler<S, false, false>(arm, q.data(), qd.data(), qdd.data(), arm.gravity(), wrenches, tau.data());
  });
  add_spring_torque<S>(arm, q, tau);
}

template <Scalar S>
VecX<S> gravity_torque(const Arm& arm, const VecX<S>& q) {
  VecX<S> tau(arm.dof());
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->gravity) {
      k->gravity(q.data(), tau.data());
      return tau;
    }
  in_wide_registers<S>(
      [&] { newton_euler<S, true, true>(arm, q.data(), nullptr, nullptr, arm.gravity(), {}, tau.data()); });
  add_spring_torque<S>(arm, q, tau);
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
  in_wide_registers<S>(
      [&] { newton_euler<S, false, true>(arm, q.data(), qd.data(), nullptr, Vec3<double>::Zero(), {}, tau.data()); });
  return tau;
}

#define ARMATURE_INSTANTIATE(S)                                                              \
  template void inverse_dynamics(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&, \
                                 std::span<const BodyWrench<S>>, VecX<S>&);                  \
  template VecX<S> gravity_torque(const Arm&, const VecX<S>&);                               \
  template VecX<S> coriolis_torque(const Arm&, const VecX<S>&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
