// Least squares on the evidence of a log, with uncertainties that hold for filtered, correlated residuals.
#pragma once

#include <optional>

#include "armature/identification/evidence.hpp"

namespace armature::identification {

/// Parameters and how sure they are.
struct Estimate {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;
  std::vector<bool> determined;  // false: the log does not excite this parameter; its value is 0 and means nothing
  double freedom = 0;            // degrees of freedom of the standard deviations
  VecX<double> noise;            // residual of each joint, standard deviation [N m | N]
  double condition = 0;          // of the weighted equations with columns of unit length
  double condition_unscaled = 0;
  int iterations = 0;

  [[nodiscard]] double deviation(int k) const { return std::sqrt(covariance(k, k)); }
  /// Half the width of the 95 % interval (Student).
  [[nodiscard]] double half_width(int k) const;
};

/// Beliefs held before the log was seen: rows * x = values, each with standard deviation 1.
struct Prior {
  Eigen::MatrixXd rows;
  Eigen::VectorXd values;
};

struct LeastSquaresSettings {
  bool weighted = true;  // joints by their residuals, again and again until they agree; else all alike
  std::optional<Prior> prior;
  double tolerance = 1e-9;  // of the rank: smallest pivot that counts, of the largest, columns of unit length
};

/// Ordinary or weighted least squares. Uncertainties by leaving out each part of the log in turn (delete-a-group jackknife
/// [Shao1989]), parts as long as residuals are correlated (correlated_covariance): of any spectrum and any size from joint to joint.
/// Throws Error where there are fewer equations than parameters.
Estimate least_squares(const Evidence& evidence, const LeastSquaresSettings& settings = {});

/// Sums over one part of a log whose estimate solves sum_p M_p x = sum_p m_p.
struct LinearPart {
  Eigen::MatrixXd M;
  Eigen::VectorXd m;
};
/// Covariance of the solution by leaving out each part in turn; `always` is part of every sum (a prior; may be empty).
Eigen::MatrixXd leave_one_out_covariance(const std::vector<LinearPart>& parts, const LinearPart& always,
                                         double& freedom);

/// The same for residuals that are correlated over more than a part, as those of real machines are, over much of a motion: neighbours are joined
/// two by two as long as eight parts remain, and the shortest parts count whose deviations are, in the median, within a fifth of those of all
/// longer ones. Where residuals are not correlated these are the parts as they are.
Eigen::MatrixXd correlated_covariance(std::vector<LinearPart> parts, const LinearPart& always, double& freedom);

/// How well each joint's torque is predicted by parameters that were estimated without the part to be predicted.
struct CrossValidation {
  VecX<double> rms;             // [N m | N]
  VecX<double> relative;        // to the RMS of the torque
  double total = 0;             // all joints together: sqrt(sum of squares over that of the torques)
  double deviation = 0;         // standard deviation of `total`, as it differs from fold to fold
  std::vector<double> folds{};  // what each adds to the square of `total`
};
/// A log in groups of neighbouring parts: each, and all the others together, joint by joint. Where there are several runs, each fold is a whole
/// run: what is predicted then is a motion that was not seen.
struct Folds {
  std::vector<std::vector<Factor>> held, rest;  // [fold][joint]
  std::vector<std::vector<Factor>> still;       // what is held at standstill
  bool runs = false;
};
Folds folds_of(const Evidence& evidence, int folds = 8);

/// By which rows a prediction is judged: those of moving joints, or those at standstill too.
enum class JudgedRows { moving, all };

/// Each fold predicted by what `estimate` makes of the rest.
CrossValidation cross_validate(const Folds& folds,
                               const std::function<Eigen::VectorXd(const std::vector<Factor>& rest)>& estimate,
                               JudgedRows judged = JudgedRows::moving);
/// By least squares.
CrossValidation cross_validate(const Evidence& evidence, const LeastSquaresSettings& settings, int folds = 8);

/// Standard deviation of the sum of the values, as they differ from each other.
double sum_deviation(const std::vector<double>& values);

/// Residuals of the training part itself, by joint.
CrossValidation training_error(const Evidence& evidence, const Eigen::VectorXd& x);

}  // namespace armature::identification
