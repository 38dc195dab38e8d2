#include "armature/algorithms/operational_space.hpp"

#include <concepts>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/numerics/ldlt.hpp"
#include "armature/numerics/symmetric_eigen.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

/// Overwrites A with its inverse, damped or without the lost directions; returns how many are left.
int invert(TaskSquare<double>& A, const SingularTask& singular) {
  const SymmetricEigen eigen = symmetric_eigen(A);
  const double largest = std::max(eigen.values.maxCoeff(), 0.0);
  const double damping = singular.damping * largest;
  int rank = 0;
  A.setZero();
  for (int k = 0; k < A.rows(); ++k) {
    const double a = eigen.values[k];
    const bool lost = !(a > singular.tolerance * largest);
    if (!lost) ++rank;
    if (lost && !(damping > 0)) continue;
    A += eigen.vectors.col(k) * eigen.vectors.col(k).transpose() * (a / (a * a + damping * damping));
  }
  return rank;
}

/// The same for numbers that cannot decide: every direction must be independent.
template <Scalar S>
int invert(TaskSquare<S>& A, const SingularTask&) {
  const Eigen::Index m = A.rows();
  TaskSquare<S> LD = A;
  ldlt_in_place(LD);
  for (Eigen::Index j = 0; j < m; ++j)
    for (Eigen::Index i = 0; i < m; ++i) A(i, j) = S(i == j ? 1 : 0);
  ldlt_solve_in_place(LD, A);
  return static_cast<int>(m);
}

/// Y = A B for every kind of number.
template <class A, class B, class Y>
void multiply(const A& a, const B& b, Y& y) {
  y = a.lazyProduct(b);
}

}  // namespace

//     M = L D Lᵀ,  Y = L⁻¹ Jᵀ:   J M⁻¹ Jᵀ = Yᵀ D⁻¹ Y,  symmetric and not negative even after rounding     (1)
template <Scalar S>
OperationalSpace<S> operational_space(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const TaskJacobian<S>& J,
                                      const TaskVector<S>& Jd_qd, const SingularTask& singular) {
  const Eigen::Index n = arm.dof(), m = J.rows();
  MatX<S> LD = mass_matrix<S>(arm, q);
  ldlt_in_place(LD);

  TaskInverse<S> Y = J.transpose();
  for (Eigen::Index c = 0; c < m; ++c)
    for (Eigen::Index i = 1; i < n; ++i)
      for (Eigen::Index k = 0; k < i; ++k) Y(i, c) -= LD(i, k) * Y(k, c);
  OperationalSpace<S> result;
  result.Lambda.resize(m, m);
  for (Eigen::Index i = 0; i < m; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      S sum(0);
      for (Eigen::Index k = 0; k < n; ++k) sum += Y(k, i) * Y(k, j) / LD(k, k);  // (1)
      result.Lambda(i, j) = result.Lambda(j, i) = sum;
    }
  result.rank = invert(result.Lambda, singular);
  result.singular = result.rank < m;

  TaskInverse<S> M_inverse_Jt = J.transpose();
  ldlt_solve_in_place(LD, M_inverse_Jt);
  multiply(M_inverse_Jt, result.Lambda, result.J_bar);
  TaskVector<S> drift;  // J M⁻¹ c - Jd qd
  multiply(M_inverse_Jt.transpose(), coriolis_torque<S>(arm, q, qd), drift);
  drift -= Jd_qd;
  multiply(result.Lambda, drift, result.mu);
  multiply(result.J_bar.transpose(), gravity_torque<S>(arm, q), result.p);
  return result;
}

template <Scalar S>
OperationalSpace<S> operational_space(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const TaskRows& rows,
                                      const SingularTask& singular) {
  const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
  TaskVector<S> Jd_qd;
  multiply(rows.of<S>(tool_jacobian_rate<S>(arm, poses, qd)), qd, Jd_qd);
  return operational_space<S>(arm, q, qd, rows.of<S>(tool_jacobian<S>(arm, poses)), Jd_qd, singular);
}

//  Rows made orthogonal one after the other: the volume is the product of what is left of their lengths.
template <Scalar S>
S manipulability(const TaskJacobian<S>& J) {
  const Eigen::Index n = J.cols(), m = J.rows();
  if (m > n) return S(0);
  TaskJacobian<S> rows = J;
  S volume(1);
  for (Eigen::Index i = 0; i < m; ++i) {
    S square(0);
    for (Eigen::Index k = 0; k < n; ++k) square += rows(i, k) * rows(i, k);
    if constexpr (std::same_as<S, double>)
      if (square == 0) return 0;
    volume *= sqrt(square);
    for (Eigen::Index j = i + 1; j < m; ++j) {
      S along(0);
      for (Eigen::Index k = 0; k < n; ++k) along += rows(i, k) * rows(j, k);
      along = along / square;
      for (Eigen::Index k = 0; k < n; ++k) rows(j, k) -= along * rows(i, k);
    }
  }
  return volume;
}

ManipulabilityGradient manipulability_gradient(const Arm& arm, const VecX<double>& q, const TaskRows& rows) {
  const TaskJacobian<double> J = rows.of<double>(tool_jacobian<double>(arm, forward_kinematics<double>(arm, q)));
  ManipulabilityGradient result{manipulability<double>(J), VecX<double>::Zero(arm.dof())};
  result.singular = !(result.value > 1e-10 * J.rowwise().norm().prod());
  if (result.singular) return result;
  VecX<Dual> at(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) at[i] = q[i];
  for (int i = 0; i < arm.dof(); ++i) {
    at[i].slope = 1;
    result.gradient[i] =
        manipulability<Dual>(rows.of<Dual>(tool_jacobian<Dual>(arm, forward_kinematics<Dual>(arm, at)))).slope;
    at[i].slope = 0;
  }
  return result;
}

#define ARMATURE_INSTANTIATE(S)                                                                                      \
  template OperationalSpace<S> operational_space(const Arm&, const VecX<S>&, const VecX<S>&, const TaskJacobian<S>&, \
                                                 const TaskVector<S>&, const SingularTask&);                         \
  template OperationalSpace<S> operational_space(const Arm&, const VecX<S>&, const VecX<S>&, const TaskRows&,        \
                                                 const SingularTask&);                                               \
  template S manipulability(const TaskJacobian<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
