#include "armature/control/damping.hpp"

#include <Eigen/Eigenvalues>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/settings.hpp"

namespace armature {

namespace {

using Eigen_ = Eigen::SelfAdjointEigenSolver<MatX<double>>;

}  // namespace

MatX<double> square_root(const MatX<double>& A) noexcept {
  const Eigen_ e(A);
  const VecX<double> root = e.eigenvalues().cwiseMax(0).cwiseSqrt();
  const MatX<double> V = e.eigenvectors();
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
  const Eigen_ m(M);  // a symmetric root instead of Cholesky's: a mass that rounding made negative does no harm
  const VecX<double> root = m.eigenvalues().cwiseMax(0).cwiseSqrt();
  const MatX<double> V = m.eigenvectors();
  VecX<double> inverse = root;
  for (Eigen::Index i = 0; i < root.size(); ++i) inverse[i] = root[i] > 1e-9 * root.maxCoeff() ? 1 / root[i] : 0;
  const MatX<double> L = V * root.asDiagonal() * V.transpose(), L_inverse = V * inverse.asDiagonal() * V.transpose();
  const MatX<double> middle = L_inverse * K * L_inverse;
  return 2 * zeta * (L * square_root(middle) * L);  // (1)
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

}  // namespace armature
