// Grey-box fit of an elastic drive: inertias, stiffness, damping, play and friction from frequency responses and motions.
//
//   const DriveModel model(arm, 0, q, {.command = Motor::Command::voltage, .exact_stick = true});
//   const DriveFit fit = fit_drive(model, {frf}, {step});
//   write_arm_yaml(fitted_arm(model, fit, "frf.csv, step.csv"));
#pragma once

#include <functional>

#include "armature/identification/drive_response.hpp"

namespace armature::identification {

struct DriveFitSettings {
  std::vector<std::string> free{};  // names; empty: all that are usual
  std::vector<std::string> held{};  // names of those that keep their value
  double coherence = 0.8;           // least of a line
  int starts = 8;                   // of the search on the frequency responses, the first as described
  Eigen::VectorXd also_from{};      // values of one more start, one a parameter of the model; empty: none
  std::function<void(const std::string& step)> progress{};
};

/// A parameter after the fit. Everything is fitted as a logarithm, so numbers stay above zero and intervals are factors.
struct DriveEstimate {
  DriveParameter parameter;  // as described
  double value = 0;
  bool free = false;
  bool determined = false;  // by the logs: known better than within a factor of two
  double spread = 0;        // standard deviation of ln(value)
  [[nodiscard]] double deviation() const { return value * spread; }
  [[nodiscard]] double low() const { return value * std::exp(-1.96 * spread); }  // of the 95 % interval
  [[nodiscard]] double high() const { return value * std::exp(1.96 * spread); }
};

/// How well one output of one log is met.
struct DriveLogFit {
  std::string name, output;
  bool response = false;  // a frequency response, else a motion
  Eigen::Index count = 0;
  double rms = 0;                      // of the motion, in its unit; of a response, as a share of it
  double relative = 0;                 // of the motion's own variation; of a response, as rms
  double expected = 0;                 // rms that the coherence allows; zero: unknown
  Eigen::MatrixXd measured_and_model;  // motions: a row per sample
};

struct DriveFit {
  std::vector<DriveEstimate> parameters;  // in the order of the model's
  Eigen::MatrixXd covariance;             // of the logarithms of the free ones, in this order
  std::vector<DriveLogFit> logs;
  double condition = 0;  // of the scaled slopes
  bool converged = false;
  bool play_crossed = true;  // by some motion; without one the play stays as described and is not determined
  [[nodiscard]] Eigen::VectorXd values() const;

  /// Combinations that the logs leave open, of the logarithms: along each the free parameters may move by `spread` and the
  /// fit hardly changes.
  struct Open {
    double spread = 0;
    std::vector<std::pair<std::string, double>> share;  // parameter and exponent, largest first
  };
  std::vector<Open> open;
};

/// Only the frequency responses, quickly: at most about 150 lines of each, from the described values alone.
struct ResponseFit {
  Eigen::VectorXd values;  // one per parameter
  double rms = 0;          // of the residuals, in units of their deviations; as a share where these are not known
  double residuals = 0;    // how many
  int parameters = 0;      // free ones
  /// n ln(rms²) + p ln(n), [Schwarz1978]: among models of the same lines the lowest is the one to take.
  [[nodiscard]] double information_criterion() const;
};
ResponseFit fit_responses(const DriveModel& model, const std::vector<DriveFrf>& responses,
                          const DriveFitSettings& settings, int iterations = 40);

/// Weighted least squares in the logarithms of the parameters: first those of small motions on the frequency responses
/// (residual ln(measured/model), complex, in units of the deviation that the coherence allows; several starts; then
/// measured less model in those units, which has no bias), then all on everything, play and dry friction from the best of a
/// grid. Each output weighs by its own residual. The described
/// values count as one reading with a standard deviation of a factor of ten: what the logs do not say stays there.
/// Intervals allow for residuals that are correlated along lines and samples. Throws Error where there is nothing to fit, or
/// no simulation succeeds.
DriveFit fit_drive(const DriveModel& model, const std::vector<DriveFrf>& responses,
                   const std::vector<DriveMotion>& motions, const DriveFitSettings& settings = {});

/// The whole arm with the fitted drive; sources name the logs and what was fitted.
ArmDescription fitted_arm(const DriveModel& model, const DriveFit& fit, const std::string& logs);

}  // namespace armature::identification
