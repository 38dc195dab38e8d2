// Parameters that a machine can have: every link a body with positive mass everywhere, rotors that weigh something, friction
// that only brakes.
#pragma once

#include "armature/identification/consistent_fit.hpp"
#include "armature/identification/estimate.hpp"

namespace armature::identification {

/// log-Cholesky coordinates: P = U U' with U upper triangular, exp on its diagonal. Every point of R¹⁰ is a body, every body one
/// point [Rucker2022].
Eigen::Matrix<double, 10, 1> parameters_of_log_cholesky(const Eigen::Matrix<double, 10, 1>& theta);
Eigen::Matrix<double, 10, 1> log_cholesky_of_parameters(const Eigen::Matrix<double, 10, 1>& parameters);

struct PhysicalSettings {
  /// How much the reference counts against the log. Each link is drawn to the reference's by
  ///     weight * (tr(P_0⁻¹ P) - log det(P_0⁻¹ P) - 4),
  /// its distance as mass distributions [Lee2018]: 1 means that being wrong by a factor of about e costs as much as one equation
  /// that misses by its noise. Small: the log decides wherever it says anything. Rotors that are described are drawn likewise.
  double weight = 1e-2;
  std::vector<double> link_weights;  // factors on `weight`, one per link; empty: 1
  VecX<double> noise;                // of the joints' torques [N m | N]
};

struct PhysicalEstimate {
  Eigen::VectorXd links;   // 10 a link, in link frames as described (algorithms/regressor.hpp)
  Eigen::VectorXd rotors;  // at the motors' shafts; empty where they are not estimated
  Eigen::VectorXd x;       // the model's parameters that follow from them
  int iterations = 0;
  double gap = 0;          // relative duality gap: how far above the smallest objective this can be at most
  bool converged = false;  // the gap is at most 1e-6
};

/// The parameters nearest to the evidence among all that a machine can have: a convex problem (consistent_fit.hpp), solved from inside, so
/// that every iterate is realisable, and certified. The reference is the arm as described; a link without a possible inertia there gets
/// that of a small ball. Friction that the evidence does not show is zero.
PhysicalEstimate physical_estimate(const TorqueModel& model, const std::vector<Factor>& joints,
                                   const PhysicalSettings& settings);
/// For several weights, which must fall, instead of settings.weight.
std::vector<PhysicalEstimate> physical_estimates(const TorqueModel& model, const std::vector<Factor>& joints,
                                                 const PhysicalSettings& settings, const std::vector<double>& weights);
PhysicalEstimate physical_estimate(const TorqueModel& model, const Evidence& evidence,
                                   const PhysicalSettings& settings);

/// The described arm with the estimated inertia, rotors and friction.
ArmDescription identified_arm(const TorqueModel& model, const PhysicalEstimate& estimate, const std::string& source);

}  // namespace armature::identification
