#include "armature/control/damping.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/numerics/symmetric_eigen.hpp"

namespace armature::control {

MatX<double> square_root(const MatX<double>& A) noexcept {
  const auto [values, V] = symmetric_eigen(A);
  const VecX<double> root = values.cwiseMax(0).cwiseSqrt();
  return V * root.asDiagonal() * V.transpose();
}

//     M = L Lᵀ,   L⁻¹ K L⁻ᵀ = V B Vᵀ,   Q = L V:   M = Q Qᵀ,  K = Q B Qᵀ,  D = 2 ζ Q √B Qᵀ          (1)
//  and in the coordinates z = Qᵀ x every mode reads  zdd + 2 ζ √b zd + b z = 0.
MatX<double> damping_matrix(const MatX<double>& M, const MatX<double>& K, double zeta, DampingDesign design) noexcept {
  if (design == DampingDesign::square_roots) {
    const MatX<double> A = square_root(M), B = square_root(K);
    const MatX<double> AB = A * B;
    return zeta * (AB + AB.transpose());
  }
  const Eigen::LLT<MatX<double>> llt(M);
  if (llt.info() != Eigen::Success) return MatX<double>::Zero(M.rows(), M.cols());
  MatX<double> middle = K;
  llt.matrixL().solveInPlace(middle);
  middle.transposeInPlace();
  llt.matrixL().solveInPlace(middle);  // L⁻¹ K L⁻ᵀ
  const MatX<double> L = llt.matrixL(), root = square_root(middle);
  const MatX<double> L_root = L.lazyProduct(root);
  return 2 * zeta * L_root.lazyProduct(L.transpose());  // (1)
}

//  With A = L⁻¹ Jᵀ √K the joints feel the stiffness Jᵀ K J = L A Aᵀ Lᵀ, and (1) for it is
//     2 ζ L √(A Aᵀ) Lᵀ = 2 ζ L A (Aᵀ A)^(-½) Aᵀ Lᵀ = Jᵀ (2 ζ √K (Aᵀ A)^(-½) √K) J                     (2)
//  where Aᵀ A = √K J M⁻¹ Jᵀ √K. Directions that neither move nor are stiff drop out.
TaskSquare<double> task_damping(const TaskJacobian<double>& J, const MatX<double>& M, const TaskVector<double>& K,
                                double zeta) noexcept {
  const TaskVector<double> root = K.cwiseSqrt();
  TaskInverse<double> A = J.transpose() * root.asDiagonal();
  const Eigen::LLT<MatX<double>> llt(M);
  if (llt.info() != Eigen::Success) return TaskSquare<double>::Zero(K.size(), K.size());
  llt.matrixL().solveInPlace(A);
  const TaskSquare<double> gram = A.transpose().lazyProduct(A);
  const SymmetricEigen e = symmetric_eigen(gram);
  const double least = 1e-12 * std::max(e.values.maxCoeff(), 0.0);
  TaskVector<double> inverse_root(K.size());
  for (Eigen::Index k = 0; k < K.size(); ++k) inverse_root[k] = e.values[k] > least ? 1 / std::sqrt(e.values[k]) : 0;
  const TaskSquare<double> V = root.asDiagonal() * e.vectors;
  const TaskSquare<double> scaled = V * inverse_root.asDiagonal();
  return 2 * zeta * scaled.lazyProduct(V.transpose());  // (2)
}

DesignedPd::DesignedPd(Arm believed, const DesignedPdSettings& s)
    : Law({.joint_reference = true}, torque_parts(believed.dof(), {"spring", "damper"})),
      believed_(std::move(believed)),
      settings_(s) {
  number_at_least("zeta", s.zeta, 0);
  settings_.kp = joint_gains(believed_, "kp", s.kp);
  K_ = settings_.kp.asDiagonal();
  D_ = MatX<double>::Zero(believed_.dof(), believed_.dof());
  if (s.design_position.size() > 0)
    D_ = damping_matrix(mass_matrix<double>(believed_, joint_numbers(believed_, "design_position", s.design_position)),
                        K_, s.zeta, s.design);
}

void DesignedPd::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  if (settings_.design_position.size() == 0)
    D_ = damping_matrix(mass_matrix<double>(believed_, y.q), K_, settings_.zeta, settings_.design);
  part(0) = settings_.kp.cwiseProduct(r.q - y.q);
  part(1) = D_ * (r.qd - y.qd);
  tau = part(0) + part(1);
}

void list_damping_ratio(Fields& f, double& zeta) {
  f.number("zeta", zeta, dimension::none, "damping ratio that is asked for", Range::not_negative);
}
void list_damping_design(Fields& f, DampingDesign& design) {
  f.word("design", design, {"square_roots", "double_diagonal"}, "how the damping matrix is found");
}

void DesignedPdSettings::fields(Fields& f) {
  f.joints("kp", kp, joint_dimension::stiffness, "stiffness", Range::not_negative, required);
  list_damping_ratio(f, zeta);
  list_damping_design(f, design);
  f.joints("design_position", design_position, joint_dimension::position,
           "the damping is that for this position (default: it follows the arm)");
}
ARMATURE_LAW(designed_pd, DesignedPdSettings, DesignedPd)

}  // namespace armature::control
