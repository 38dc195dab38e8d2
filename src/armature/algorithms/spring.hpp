// What the springs of the joints do to an arm: part of its gravity torque and of its potential energy.
#pragma once

#include "armature/model/arm.hpp"
#include "armature/model/spring_law.hpp"

namespace armature::algorithms {

/// Adds what holds the joints against their springs [N m | N]. Nothing for an arm without springs.
template <Scalar S>
void add_spring_torque(const Arm& arm, const VecX<S>& q, VecX<S>& tau) {
  for (std::size_t i = 0; i < arm.springs().size(); ++i)
    if (const SpringLaw* spring = arm.springs()[i].get()) tau[i] += spring->torque<S>(q[i]);
}

/// The same alone: zero for joints without a spring.
template <Scalar S>
VecX<S> spring_torque(const Arm& arm, const VecX<S>& q) {
  VecX<S> tau = VecX<S>::Constant(arm.dof(), S(0));
  add_spring_torque<S>(arm, q, tau);
  return tau;
}

/// Adds its derivative by q, which is diagonal.
template <Scalar S>
void add_spring_stiffness(const Arm& arm, const VecX<S>& q, MatX<S>& dtau_dq) {
  for (std::size_t i = 0; i < arm.springs().size(); ++i)
    if (const SpringLaw* spring = arm.springs()[i].get()) {
      const auto k = static_cast<Eigen::Index>(i);
      dtau_dq(k, k) += spring->stiffness<S>(q[k]);
    }
}

/// What the springs have taken up [J].
template <Scalar S>
S spring_energy(const Arm& arm, const VecX<S>& q) {
  S sum(0);
  for (std::size_t i = 0; i < arm.springs().size(); ++i)
    if (const SpringLaw* spring = arm.springs()[i].get()) sum += spring->energy<S>(q[i]);
  return sum;
}

}  // namespace armature::algorithms
