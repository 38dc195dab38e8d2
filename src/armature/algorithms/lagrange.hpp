// Lagrange's equations in their trace form: slower than Newton–Euler, but every coefficient has a name.
#pragma once

#include <array>

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// The coefficients at one configuration [Vandeven1986, (9)]:
///     tau_i = sum_j D_ij qdd_j + sum_jk D_ijk qd_j qd_k + D_i
/// of the bodies alone, without the springs of the joints.
template <Scalar S>
class LagrangeForm {
 public:
  LagrangeForm(const Arm& arm, const VecX<S>& q);

  /// D_ij: the inertia that joint i feels of itself (i = j) and of joint j. M(q), entry by entry.
  [[nodiscard]] S inertia(int i, int j) const;
  /// D_ijk = D_ikj: centripetal (j = k) and Coriolis force on joint i. The Christoffel symbol of the first kind [jk, i].
  [[nodiscard]] S coriolis(int i, int j, int k) const;
  /// D_i: force that holds joint i against gravity.
  [[nodiscard]] S gravity(int i) const;

  /// Joint forces that produce the acceleration `qdd`; O(n³).
  void inverse_dynamics(const VecX<S>& qd, const VecX<S>& qdd, VecX<S>& tau) const;

 private:
  using Mat4 = Eigen::Matrix<S, 4, 4>;
  int dof_;
  Eigen::Matrix<double, 4, 1> g_;    // (gravity; 0)
  std::array<Mat4, max_joints> Q_;   // what joint i does to the bodies behind it: dT_p/dq_i = Q_i T_p
  std::array<Mat4, max_joints> J_;   // pseudo-inertia in the world of all bodies from i on
  std::array<Mat4, max_joints> QJ_;  // Q_i J_i
};

/// What inverse_dynamics (algorithms/inverse_dynamics.hpp) computes, by Lagrange's equations. Allocates nothing.
template <Scalar S>
VecX<S> lagrange_inverse_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd);

}  // namespace armature::algorithms
