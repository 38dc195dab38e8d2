// What a drive's model answers where a log was taken: lines of a frequency response, samples of a motion.
#pragma once

#include <complex>

#include "armature/identification/drive_model.hpp"

namespace armature::identification {

/// A measured frequency response from the motor's command to a column of the log.
struct DriveFrf {
  std::string name;               // of the file, for reports
  std::string output;             // column: "q1_meas"
  std::vector<double> frequency;  // [Hz]
  std::vector<std::complex<double>> response;
  std::vector<double> coherence;  // of each line; empty: all lines are as good
  std::vector<double> deviation;  // of each line, as a share of it; empty likewise
  double tick = 0;                // commands are held so long and outputs read as often [s]; zero: continuous
  int delay = 0;                  // ticks from plant to log
};

/// The lines that can be believed. A single line's coherence is itself a guess, high where noise happens to help, and weights
/// that follow the noise would bias the fit; so a line is judged together with four neighbours on either side: those with at
/// least half the coherence asked for must be a third of them (every third line may be excited alone), their mean coherence
/// must reach `least`, and the mean of their deviations, in the unit of the response, is the line's: that one does not depend
/// on what noise did to the response itself. Throws Error where no line is left.
DriveFrf believable_lines(const DriveFrf& frf, double least);

/// A motion from rest: the command, held from sample to sample, and what answered.
struct DriveMotion {
  std::string name;
  double step = 1e-3;   // [s]
  double position = 0;  // of the joint at the start
  Eigen::VectorXd command;
  std::vector<std::string> outputs;  // columns
  Eigen::MatrixXd measured;          // a row per sample, a column per output
  int delay = 0;
};

/// The model's response at the lines and, where asked for, its slopes to the logarithms of the parameters `to` (a column each).
/// With a tick the response is that of the sampled machine, hold included and exact:
///     H = C (z - F)⁻¹ G z^-delay,  (F G; 0 1) = exp((A B; 0 0) tick),  z = exp(j 2π f tick)
struct DriveLines {
  Eigen::VectorXcd response;
  Eigen::MatrixXcd slopes;
};
DriveLines drive_lines(const DriveModel& model, const Eigen::VectorXd& values, const DriveFrf& frf,
                       const std::vector<std::size_t>& to);

/// The motion that the model makes under the log's command, sticking and play located as events; `tolerance` is of the
/// integrator. Throws Error where the simulation gives up.
Eigen::MatrixXd drive_motion(const DriveModel& model, const Eigen::VectorXd& values, const DriveMotion& log,
                             double tolerance = 1e-7);

/// Whether the gear touches both sides of its play in that motion. Only then does the motion show how wide it is: where in its
/// play the gear began is not measured.
bool crosses_play(const DriveModel& model, const Eigen::VectorXd& values, const DriveMotion& log);

}  // namespace armature::identification
