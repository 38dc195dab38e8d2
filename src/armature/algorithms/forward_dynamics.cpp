#include "armature/algorithms/forward_dynamics.hpp"

#include <type_traits>

#include "armature/algorithms/internal/bodies_in_first_axes.hpp"
#include "armature/algorithms/moving_inertia.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/numerics/ldlt.hpp"
#include "armature/scalar/scalars.hpp"
#include "armature/scalar/sin_cos.hpp"
#include "armature/scalar/wide_registers.hpp"

namespace armature::algorithms {

namespace {

//  Equations (1) to (6) of inverse_dynamics.cpp without qdd, in the axes of the first body, where nothing is turned. The first body
//  turns about (or slides along) z, and of what acts on it only that direction counts.
template <Scalar S>
void bias_of(const Arm& arm, const PlacedBodies<S>& placed, const S* qd, Triple<S> a,
             std::span<const BodyWrench<S>> wrenches, S* bias) {
  const int n = arm.dof();
  const Body* bodies = arm.bodies().data();
  std::array<Triple<S>, max_joints> F, N;
  const BodyInFirstAxes<S>& first = placed[0];
  const S zero(0);
  Triple<S> dw(zero, zero, zero);
  Triple<S> w(zero, zero, bodies[0].revolute ? qd[0] : zero);
  F[0] = {zero, zero, first.m * a.z};
  N[0] = {zero, zero, first.h.x * a.y - first.h.y * a.x};
  Columns<S> K = acceleration_columns(w, dw);
  for (int i = 1; i < n; ++i) {
    const BodyInFirstAxes<S>& b = placed[i];
    a += turned(K, b.d);
    const Triple<S> zqd = b.R.z * qd[i];
    const Triple<S> turning = cross(w, zqd);
    if (bodies[i].revolute) {
      dw += turning;
      w += zqd;
    } else {
      a += turning + turning;
    }
    K = acceleration_columns(w, dw);
    F[i] = a * b.m + turned(K, b.h);
    N[i] = b.I * dw + cross(w, b.I * w) + cross(b.h, a);
  }
  for (const BodyWrench<S>& wrench : wrenches) {
    const Columns<S>& R = placed[wrench.body].R;
    F[wrench.body] -= turned(R, Triple<S>(wrench.f));
    N[wrench.body] -= turned(R, Triple<S>(wrench.mu));
  }
  Triple<S> F_i = F[n - 1];
  Triple<S> N_i = N[n - 1];
  for (int i = n - 1; i > 0; --i) {
    const BodyInFirstAxes<S>& b = placed[i];
    bias[i] = dot(b.R.z, bodies[i].revolute ? N_i : F_i);
    N_i = N[i - 1] + (N_i + cross(b.d, F_i));
    F_i = F[i - 1] + F_i;
  }
  bias[0] = bodies[0].revolute ? N_i.z : F_i.z;
}

//     M(q) qdd = tau - (c(q, qd) + g(q) - sum J' w),   M = L D Lᵀ, rotors on its diagonal
template <Scalar S, class Inertias>
void solve(const Arm& arm, const Inertias& inertia, const S* rotors, const VecX<S>& q, const VecX<S>& qd,
           const VecX<S>& tau, std::span<const BodyWrench<S>> wrenches, VecX<S>& qdd) {
  const int n = arm.dof();
  qdd.resize(n);
  const VecX<S> springs = arm.springs().empty() ? VecX<S>() : spring_torque<S>(arm, q);
  std::array<S, max_joints> s, c, bias;
  PlacedBodies<S> placed;
  sin_cos(q.data(), n, s.data(), c.data());
  MatX<S> M(n, n);
  const Vec3<double>& g = arm.gravity();
  in_wide_registers<S>([&] {
    place_in_first_axes(arm, inertia, q.data(), s.data(), c.data(), placed);
    mass_matrix_of(arm, placed, M);
    const Triple<S> upwards(S(-g[0]), S(-g[1]), S(-g[2]));
    bias_of<S>(arm, placed, qd.data(), turned_back(joint_axes<S>(arm.body(0), s[0], c[0]), upwards), wrenches,
               bias.data());
    for (int i = 0; i < n; ++i) {
      qdd[i] = tau[i] - bias[i];
      if (rotors) M(i, i) += rotors[i];
    }
    if (springs.size() > 0) qdd -= springs;
    ldlt_in_place(M);
    ldlt_solve_in_place(M, qdd);
  });
}

}  // namespace

template <Scalar S>
void forward_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& tau,
                      std::span<const BodyWrench<S>> wrenches, VecX<S>& qdd) {
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->forward_dynamics && wrenches.empty()) {
      qdd.resize(arm.dof());
      return k->forward_dynamics(q.data(), qd.data(), tau.data(), qdd.data());
    }
  solve<S>(arm, OwnInertia{arm.bodies().data()}, nullptr, q, qd, tau, wrenches, qdd);
}

template <Scalar S>
void forward_dynamics(const Arm& arm, const MovingInertia<S>& inertia, const VecX<S>& q, const VecX<S>& qd,
                      const VecX<S>& tau, VecX<S>& qdd) {
  solve<S>(arm, inertia.bodies, inertia.rotors.data(), q, qd, tau, {}, qdd);
}

#define ARMATURE_INSTANTIATE(S)                                                                                       \
  template void forward_dynamics(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&,                          \
                                 std::span<const BodyWrench<S>>, VecX<S>&);                                           \
  template void forward_dynamics(const Arm&, const MovingInertia<S>&, const VecX<S>&, const VecX<S>&, const VecX<S>&, \
                                 VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
