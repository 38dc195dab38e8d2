// How torques and accelerations change with the state. Exact, not differenced.
#pragma once

#include <span>

#include "armature/algorithms/wrench.hpp"

namespace armature::algorithms {

template <Scalar S>
struct InverseDynamicsDerivatives {
  MatX<S> dq;   // d tau / d q
  MatX<S> dqd;  // d tau / d qd = 2 C(q, qd)
  MatX<S> M;    // d tau / d qdd
};

/// Of inverse_dynamics(arm, q, qd, qdd, wrenches), the wrenches constant in their bodies' frames.
/// O(n²); allocates nothing. [CarpentierMansard2018], [Singh2022]
template <Scalar S>
void inverse_dynamics_derivatives(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd,
                                  std::span<const BodyWrench<S>> wrenches, InverseDynamicsDerivatives<S>& d);

template <Scalar S>
InverseDynamicsDerivatives<S> inverse_dynamics_derivatives(const Arm& arm, const VecX<S>& q, const VecX<S>& qd,
                                                           const VecX<S>& qdd) {
  InverseDynamicsDerivatives<S> d;
  inverse_dynamics_derivatives<S>(arm, q, qd, qdd, {}, d);
  return d;
}

template <Scalar S>
struct ForwardDynamicsDerivatives {
  VecX<S> qdd;   // the acceleration itself
  MatX<S> dq;    // d qdd / d q
  MatX<S> dqd;   // d qdd / d qd
  MatX<S> dtau;  // d qdd / d tau = M(q)⁻¹
};

/// Of forward_dynamics(arm, q, qd, tau, wrenches), the wrenches constant in their bodies' frames.
/// O(n³); allocates nothing. [CarpentierMansard2018]
template <Scalar S>
void forward_dynamics_derivatives(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& tau,
                                  std::span<const BodyWrench<S>> wrenches, ForwardDynamicsDerivatives<S>& d);

template <Scalar S>
ForwardDynamicsDerivatives<S> forward_dynamics_derivatives(const Arm& arm, const VecX<S>& q, const VecX<S>& qd,
                                                           const VecX<S>& tau) {
  ForwardDynamicsDerivatives<S> d;
  forward_dynamics_derivatives<S>(arm, q, qd, tau, {}, d);
  return d;
}

}  // namespace armature::algorithms
