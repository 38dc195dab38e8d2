// Stiffness and damping of joints without a motor from logs of the motors that shake the arm, in one posture or several.
//
//   const SpringModel model(plant);  // rigid bodies known, springs guessed
//   const SpringFit fit = fit_springs(model, {shaken_lines(log_1, {.period = 2}), shaken_lines(log_2, {.period = 2})}, {});
#pragma once

#include <functional>

#include "armature/identification/drive_fit.hpp"
#include "armature/identification/spring_model.hpp"

namespace armature::identification {

struct SpringFitSettings {
  std::vector<std::string> free{};  // names; empty: all
  std::vector<std::string> held{};  // names of those that keep their value
  int starts = 16;                  // of the search at most, the first as described; the others only while nothing fits
  std::function<void(const std::string& step)> progress{};
};

/// A mode of the machine in a posture, as the fitted springs predict it; deviations are what their intervals make of it.
struct ModeEstimate {
  double frequency = 0, frequency_deviation = 0;  // [Hz]
  double damping = 0, damping_deviation = 0;      // share of critical
};

/// How well one log is met, or predicted.
struct PostureFit {
  struct Output {
    int joint = 0;                          // from 0
    double misfit = 0;                      // r.m.s. of what is left, in units of the scatter between periods
    double share = 0, described_share = 0;  // r.m.s. of what is left, as a share of the model's answer; before the fit
    double expected = 0;                    // of which the scatter explains so much
    std::vector<std::complex<double>> measured{}, fitted{};  // position over the command that shakes most there
    std::string command{};                                   // which that is: the motor's name
  };
  std::string name;
  bool held_out = false;
  std::vector<double> frequency;  // [Hz]
  std::vector<Output> outputs;
  std::vector<ModeEstimate> modes;
  std::vector<int> turning_back;  // joints that dry friction holds and that do not keep moving one way, from 0
};

struct SpringFit {
  DriveFit fit;  // parameters, covariance, what is open; no logs
  std::vector<PostureFit> postures;
};

/// Weighted least squares in the logarithms of the parameters on the spectra of all logs together [Pintelon2012]: residual measured less
/// model, Y - G(p) U, with the mean spectra over the periods; its variance is the scatter of the same residual from period to period, so that
/// feedback, several motors that shake at once and joints under control need no care of their own. The search for it goes by
/// ln(measured/model), which leads from afar, from several starts. The described values count as one reading with a standard deviation of a factor of ten. Intervals
/// allow for residuals that are larger than their scatter or correlated from line to line. Logs in `held_out` are predicted, not
/// fitted. Throws Error where there is no log, or no encoder at a joint that a motor moves.
SpringFit fit_springs(const SpringModel& model, const std::vector<ShakenLines>& logs,
                      const std::vector<ShakenLines>& held_out, const SpringFitSettings& settings = {});

/// How well the logs are met, what they leave open, what looks wrong.
std::vector<std::string> sentences(const SpringModel& model, const SpringFit& fit);

}  // namespace armature::identification
