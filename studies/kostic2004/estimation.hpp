// From the excitation experiment to base parameters and friction, by the estimators of the room identification.
#pragma once

#include "armature/identification/estimate.hpp"
#include "armature/identification/excitation_columns.hpp"
#include "kostic2004/laboratory.hpp"

namespace armature::studies::kostic2004 {

/// Motion and torque of an experiment, one column a sample.
struct ExperimentData {
  Eigen::MatrixXd q, v, a, tau;
  [[nodiscard]] Eigen::Index samples() const { return q.cols(); }
  [[nodiscard]] ExperimentData part(Eigen::Index from, Eigen::Index count) const;
};

/// The motion as the Kalman observer reconstructs it while the arm moves: its accelerations lag behind the torques.
ExperimentData observed_data(const Log& log);
/// The same model and variances, run forwards and backwards over the recorded deviations: nothing lags.
ExperimentData smoothed_data(const Log& log, const VecX<double>& jerk);

/// Mean over so many periods of `length` samples from sample `begin` on.
ExperimentData mean_period(const ExperimentData& data, Eigen::Index begin, Eigen::Index length, int periods);

/// Share of the lowest resonance up to which an arm is taken for rigid: what the base gives way below it is less than 1 %.
inline constexpr double rigid_share = 0.1;

struct EstimationSettings {
  bool friction_jointly =
      true;              // beside the base parameters: slopes as given, the rest as given to a tenth; else all as given
  bool weighted = true;  // joints by their residuals
  double cutoff = rigid_share * 28;  // [Hz], of equations and torques alike; the base resonates at 28 Hz, paper
};

/// Equations (13) of these samples, both sides low-passed without phase; those of samples [from, from + count) are kept,
/// twenty times as many as the cut-off has cycles.
Equations experiment_equations(const Arm& believed, const ParameterColumns& columns, const ExperimentData& data,
                               const EstimationSettings& settings, Eigen::Index from, Eigen::Index count);

/// Least squares over a period that repeats, intervals by leaving out parts of it: base parameters and, where jointly, f1, f2,
/// f3 and the viscous term of every joint.
Estimate estimate_parameters(const Arm& believed, const ParameterColumns& columns, const ExperimentData& period,
                             const EstimationSettings& settings);

/// Friction torques of the joints along the motion.
Eigen::MatrixXd friction_along(const Arm& arm, const Eigen::MatrixXd& v);
/// Those of the links, with base parameters p.
Eigen::MatrixXd rigid_along(const Arm& arm, const ParameterColumns& columns, const ExperimentData& data,
                            const Eigen::VectorXd& p);

}  // namespace armature::studies::kostic2004
