// Least squares over bodies that can exist: a convex problem, solved to a certificate of optimality.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::identification {

/// The pseudo-inertia [Σ h; h' m], Σ = ½ tr(I) 1 - I, of ten link parameters. A body exists if and only if it is positive
/// definite [Wensing2018].
Eigen::Matrix4d pseudo_inertia(const Eigen::Matrix<double, 10, 1>& parameters);
/// The ten link parameters of a pseudo-inertia.
Eigen::Matrix<double, 10, 1> parameters_of_pseudo_inertia(const Eigen::Matrix4d& P);

/// Minimize over p
///
///     ½ |A p - z|² + weight ( sum_i f_i D(P_i, P_0i) + sum_j d(p_j, p_0j) )     subject to  P_i ⪰ 0,  c_k'p >= 0
///
/// where P_i is the pseudo-inertia of p[10 i .. 10 i + 9], D(P, P_0) = tr(P_0⁻¹ P) - log det(P_0⁻¹ P) - 4 the distance of two bodies as
/// mass distributions [Lee2018], and d(p, p_0) = p/p_0 - log(p/p_0) - 1 the same for a single positive number. Convex in p.
struct ConsistentProblem {
  struct Drawn {
    Eigen::Index at;   // which entry of p
    double reference;  // above zero
  };
  Eigen::MatrixXd A;
  Eigen::VectorXd z;
  std::vector<Eigen::Matrix4d> reference;  // P_0 of each link, positive definite; p begins with ten parameters per link
  std::vector<double> factor;              // f_i, above zero
  std::vector<Drawn> drawn;
  Eigen::MatrixXd bounds;  // rows c_k', on entries of p that belong neither to links nor to `drawn`
  Eigen::VectorXd start;   // of all entries that are not links: bounds * start > 0
};

/// A minimizer, with a proof of how far from the minimum it can be at most.
struct ConsistentFit {
  Eigen::VectorXd p;
  double value = 0;  // of the objective at p
  double lower_bound =
      0;  // no admissible p has a smaller objective: the dual function at (multipliers, bound_multipliers)
  Eigen::VectorXd multipliers;  // y of the equations: the residuals A p - z, corrected so that Aᵀy is admissible
  Eigen::VectorXd bound_multipliers;
  int steps = 0;  // of Newton's method
  [[nodiscard]] double relative_gap() const;
  /// The relative duality gap is at most 1e-6.
  [[nodiscard]] bool converged() const { return relative_gap() <= 1e-6; }
};

/// The minimizers for several weights, which must fall: each is where the way to the next begins.
std::vector<ConsistentFit> consistent_fits(const ConsistentProblem& problem, const std::vector<double>& weights);

}  // namespace armature::identification
