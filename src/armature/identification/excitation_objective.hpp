// The function that excitation design minimizes, with its exact gradient, on all cores.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "armature/identification/excitation_columns.hpp"
#include "armature/identification/excitation_criterion.hpp"
#include "armature/identification/excitation_motion.hpp"

namespace armature::identification {

/// What is designed for: Φ has `columns` times `parameter_scale`, and rows over `torque_scale`.
struct ExcitationTask {
  Arm arm;
  ParameterColumns columns;
  Eigen::VectorXd parameter_scale;  // one per column
  VecX<double> torque_scale;        // one per joint
  ExcitationLimits limits;
  ExcitationCriterion criterion = ExcitationCriterion::condition;
  int threads = 1;
};

/// criterion(ΦᵀΦ/samples) + penalties of broken limits, over the samples of one period. The result does not depend on the
/// number of threads.
class ExcitationObjective {
 public:
  ExcitationObjective(const ExcitationTask& task, double base_frequency, int harmonics, int samples);

  double sharpness = 1;                     // p of the smooth criterion
  double penalty = 100;                     // for a limit broken by its own size at one sample
  double margin = 0.01;                     // of the limits, kept free
  const std::atomic<bool>* stop = nullptr;  // set from outside: an evaluation ends early, and its result means nothing

  /// The value at `c`; writes the gradient with respect to its coefficients.
  double operator()(const FourierCoefficients& c, FourierCoefficients& gradient) const;
  /// Singular values of Φ/sqrt(samples), largest first.
  [[nodiscard]] Eigen::VectorXd singular_values(const FourierCoefficients& c) const;

 private:
  /// Rows of Φ that belong to a sample.
  void rows_of(const VecX<double>& q, const VecX<double>& v, const VecX<double>& a, Eigen::MatrixXd& W,
               Eigen::Ref<Eigen::MatrixXd> rows) const;
  [[nodiscard]] Eigen::MatrixXd stacked(const MotionSamples& m, Eigen::MatrixXd& gram) const;
  void add_regressor_slope(const Eigen::MatrixXd& weights, int s, const MotionSamples& m, MotionSamples& slope) const;
  double add_penalties(int s, const MotionSamples& m, MotionSamples& slope) const;
  void in_parallel(const std::function<void(int chunk, int begin, int end)>& work) const;

  static constexpr int chunks = 16;
  const ExcitationTask& task_;
  FourierBasis basis_;
  Eigen::MatrixXd columns_;           // with the parameters' scale
  std::vector<Eigen::Index> picked_;  // where each is one column of the regressor, times a number: which one
};

}  // namespace armature::identification
