// What an arm that is shaken periodically shows: the spectra of its commands and positions, period by period.
//
//   const ShakenLines lines = shaken_lines({"log.csv", 1e-3, 0, commands, positions, {1, 3}}, {.period = 2});
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::identification {

/// A log in one posture, standing or moving slowly, in which motors are fed with signals that repeat (inputs of kind multisine).
struct ShakenLog {
  std::string name;           // of the file
  double step = 1e-3;         // between rows; commands are held so long [s]
  int delay = 0;              // rows from the machine to the log
  Eigen::MatrixXd commands;   // a row a sample, a column a motor: all motors
  Eigen::MatrixXd positions;  // a row a sample, a column a joint that has an encoder
  std::vector<int> joints{};  // which they are, from 0
};

struct ShakenSettings {
  double period = 2;        // of the excitation [s]; lines are 1/period apart
  double begin = -1;        // of what is used, by the log's own rows [s]; below zero: after the first period
  double from = 0, to = 0;  // lines used [Hz]; to 0: up to 0.8 of the Nyquist frequency
};

/// The lines that the motors excite. What drifts slowly (the motion about which the arm is shaken) is taken off each period as a
/// straight line, whose slope the means of the neighbouring periods tell.
struct ShakenLines {
  std::string name;
  double step = 1e-3;
  int delay = 0;
  std::vector<int> joints;
  Eigen::VectorXd position, velocity;                 // of the joints, about which they are shaken
  Eigen::VectorXd shaking;                            // of the joints, r.m.s. of the velocity that the lines add to it
  std::vector<double> frequency;                      // [Hz]
  std::vector<Eigen::MatrixXcd> commands, positions;  // one a period: a row a motor (a joint), a column a line

  [[nodiscard]] std::size_t periods() const { return commands.size(); }
  [[nodiscard]] Eigen::MatrixXcd mean_commands() const;
  [[nodiscard]] Eigen::MatrixXcd mean_positions() const;
};
/// Throws Error where a period is no whole number of samples, fewer than four are there, or nothing repeats.
ShakenLines shaken_lines(const ShakenLog& log, const ShakenSettings& settings);

}  // namespace armature::identification
