#include "armature/control/task_inverse.hpp"

#include <Eigen/Cholesky>

#include "armature/numerics/symmetric_eigen.hpp"

namespace armature::control {

namespace {

/// The inverse of a Gram matrix G none of whose eigenvalues is damped. That is certain where 1/tr(G⁻¹), below which none lies, is
/// beyond the threshold for tr(G), which none exceeds; then no eigenvalue needs to be computed.
bool inverted_safely(const TaskSquare<double>& G, const InverseSettings& s, TaskSquare<double>& inverse) noexcept {
  const Eigen::LLT<TaskSquare<double>> llt(G);
  if (llt.info() != Eigen::Success) return false;
  inverse = TaskSquare<double>::Identity(G.rows(), G.cols());
  llt.solveInPlace(inverse);
  return inverse.trace() * G.trace() * s.threshold * s.threshold < 1 && inverse.trace() * G.trace() < 1e12;
}

}  // namespace

//     M = L Lᵀ,  J_w = J L⁻ᵀ:   J⁺ = L⁻ᵀ J_w⁺                                                      (1)
//     m <= n:  J_w⁺ = J_wᵀ (J_w J_wᵀ + damping)⁻¹,    m > n:  J_w⁺ = (J_wᵀ J_w + damping)⁻¹ J_wᵀ   (2)
TaskInverseResult task_inverse(const TaskJacobian<double>& J, const MatX<double>& M,
                               const InverseSettings& s) noexcept {
  const Eigen::Index m = J.rows(), n = J.cols();
  const bool weighted = s.weighting == Projector::dynamically_consistent && M.size() > 0 && m <= n;
  Eigen::LLT<MatX<double>> L;
  TaskInverse<double> Jt = J.transpose();  // of J_w
  if (weighted) {
    L.compute(M);
    L.matrixL().solveInPlace(Jt);
  }
  TaskSquare<double> gram;
  if (m <= n)
    gram = Jt.transpose().lazyProduct(Jt);
  else
    gram = Jt.lazyProduct(Jt.transpose());
  TaskInverseResult result;
  TaskSquare<double> inverse;
  if (!inverted_safely(gram, s, inverse)) {
    const SymmetricEigen eigen = symmetric_eigen(gram);
    const double largest = std::max(eigen.values.maxCoeff(), 0.0), edge = s.threshold * s.threshold * largest;
    TaskVector<double> reciprocal(gram.rows());
    for (Eigen::Index k = 0; k < gram.rows(); ++k) {
      const double a = std::max(eigen.values[k], 0.0);
      if (a > edge) {
        reciprocal[k] = 1 / a;
        continue;
      }
      result.singular = true;
      const double damping = edge > 0 ? (1 - a / edge) * s.damping * s.damping * largest : 0;
      reciprocal[k] = damping > 0 ? 1 / (a + damping) : 0;
    }
    const TaskSquare<double> V = eigen.vectors;
    inverse = V * reciprocal.asDiagonal() * V.transpose();
  }
  if (m <= n)
    result.inverse = Jt.lazyProduct(inverse);  // (2)
  else
    result.inverse = inverse.lazyProduct(Jt);
  if (weighted) L.matrixU().solveInPlace(result.inverse);  // (1)
  if (m <= n && !result.singular) {  // a step of Newton's takes back what the squares in the Gram matrix lost
    TaskSquare<double> left = TaskSquare<double>::Identity(m, m);
    left -= J.lazyProduct(result.inverse);
    const TaskInverse<double> step = result.inverse.lazyProduct(left);
    result.inverse += step;
  }
  return result;
}

MatX<double> null_space_projector(const TaskJacobian<double>& J, const TaskInverse<double>& inverse) noexcept {
  MatX<double> N = MatX<double>::Identity(J.cols(), J.cols());
  N -= J.transpose().lazyProduct(inverse.transpose());
  return N;
}

void InverseSettings::fields(Fields& f) {
  f.word("weighting", weighting, {"moore_penrose", "dynamically_consistent"}, "weighting of the pseudo-inverse");
  f.number("singular_threshold", threshold, dimension::none,
           "singular values below this part of the largest are damped", Range::not_negative);
  f.number("singular_damping", damping, dimension::none,
           "largest damping near singularities, as a share of the largest singular value", Range::not_negative);
}

}  // namespace armature::control
