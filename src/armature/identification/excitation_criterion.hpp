// How good an experiment is: functions of the information matrix G = ΦᵀΦ, Φ the stacked regressor.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::identification {

enum class ExcitationCriterion {
  condition,                ///< σmax/σmin of Φ [Gautier1992]
  frobenius_condition,      ///< ‖Φ‖_F ‖Φ⁺‖_F
  largest_singular_value,   ///< σmax of Φ/sqrt(samples), to be large
  smallest_singular_value,  ///< σmin of Φ/sqrt(samples), to be large (E-optimal)
  log_det                   ///< -log det G/samples, to be small (D-optimal) [Swevers1997]
};
/// "condition", "frobenius", ...
std::string to_string(ExcitationCriterion criterion);
/// All of them, in the order of the enumeration.
const std::vector<std::string>& excitation_criteria();

/// The criterion itself, of the singular values of Φ/sqrt(samples), in any order.
double criterion_value(ExcitationCriterion criterion, const Eigen::VectorXd& singular_values);

/// A smooth function to be minimized in its place, and its gradient with respect to the symmetric G. With λ the eigenvalues
/// of G, the condition number becomes
///     1/(2p) (log Σ λᵖ + log Σ λ⁻ᵖ):   log of the Frobenius condition number for p = 1, of the 2-norm one for p → ∞
/// and extreme singular values are smoothed in the same way; the other criteria need no p.
struct SmoothCriterion {
  double value = 0;
  Eigen::MatrixXd gradient;
};
SmoothCriterion smooth_criterion(ExcitationCriterion criterion, const Eigen::MatrixXd& G, double p);

}  // namespace armature::identification
