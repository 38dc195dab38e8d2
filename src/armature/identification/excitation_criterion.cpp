#include "armature/identification/excitation_criterion.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

/// 1/p log Σ λᵖ without overflow, and its derivatives by λ.
double soft_largest(const Eigen::VectorXd& log_lambda, double p, Eigen::VectorXd& slope) {
  const double top = p > 0 ? log_lambda.maxCoeff() : log_lambda.minCoeff();
  const Eigen::VectorXd share = (p * (log_lambda.array() - top)).exp();
  slope = share.array() / share.sum() / log_lambda.array().exp();
  return top + std::log(share.sum()) / p;
}

}  // namespace

const std::vector<std::string>& excitation_criteria() {
  static const std::vector<std::string> names{"condition", "frobenius", "largest", "smallest", "log-det"};
  return names;
}

std::string to_string(ExcitationCriterion criterion) {
  return excitation_criteria()[static_cast<std::size_t>(criterion)];
}

double criterion_value(ExcitationCriterion criterion, const Eigen::VectorXd& s) {
  if (!(s.minCoeff() > 0)) return std::numeric_limits<double>::infinity();
  switch (criterion) {
    case ExcitationCriterion::condition:
      return s.maxCoeff() / s.minCoeff();
    case ExcitationCriterion::frobenius_condition:
      return s.norm() * s.cwiseInverse().norm();
    case ExcitationCriterion::largest_singular_value:
      return s.maxCoeff();
    case ExcitationCriterion::smallest_singular_value:
      return s.minCoeff();
    case ExcitationCriterion::log_det:
      return -2 * s.array().log().sum();
  }
  return 0;
}

//     d f/dG = V diag(df/dλ) Vᵀ for a function f of the eigenvalues λ of G = V diag(λ) Vᵀ
SmoothCriterion smooth_criterion(ExcitationCriterion criterion, const Eigen::MatrixXd& G, double p) {
  const RealEigen eigen = symmetric_eigen(G);
  const double floor = std::max(eigen.values.maxCoeff(), 1e-300) * 1e-15;
  const Eigen::VectorXd log_lambda = eigen.values.cwiseMax(floor).array().log();
  Eigen::VectorXd slope, other;
  SmoothCriterion result;
  switch (criterion) {
    case ExcitationCriterion::frobenius_condition:
      p = 1;
      [[fallthrough]];
    case ExcitationCriterion::condition:
      result.value = (soft_largest(log_lambda, p, slope) - soft_largest(log_lambda, -p, other)) / 2;
      slope = (slope - other) / 2;
      break;
    case ExcitationCriterion::largest_singular_value:
      result.value = -soft_largest(log_lambda, p, slope) / 2;
      slope *= -0.5;
      break;
    case ExcitationCriterion::smallest_singular_value:
      result.value = -soft_largest(log_lambda, -p, slope) / 2;
      slope *= -0.5;
      break;
    case ExcitationCriterion::log_det:
      result.value = -log_lambda.sum();
      slope = -(-log_lambda).array().exp();
      break;
  }
  result.gradient = eigen.vectors * slope.asDiagonal() * eigen.vectors.transpose();
  return result;
}

}  // namespace armature::identification
