// Motors and what feeds them.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/model/friction.hpp"

namespace armature::plant {

/// A drive as a linear model, from its command and the speed of its motor's angle to its torque there:
///     z' = A z + B (command, speed),   torque = C z + D (command, speed).
struct LinearDrive {
  Eigen::MatrixXd A, B, C, D;  // n x n, n x 2, 1 x n, 1 x 2
};

/// A motor and what feeds it. Its angle is the sum of factor * axis over `drives` (one pair (axis, factor) for a plain gear,
/// several for coupled joints), and its torque acts on those axes with the same factors.
struct Motor {
  enum class Command { torque, current, voltage };
  std::string name;
  std::vector<std::pair<int, double>> drives;
  Command command = Command::torque;
  double torque_constant = 1;           // [N m/A]
  double back_emf = 0;                  // [V s/rad]; in SI equal to the torque constant
  double resistance = 0;                // [ohm]
  double inductance = 0;                // [H]
  CoulombViscous friction;              // of its shaft, seen at its angle, its sign smoothed over `smoothing`
  double smoothing = 1e-3;              // [rad/s]
  std::optional<double> torque_limit;   // [N m]
  std::optional<double> current_limit;  // [A]
  std::optional<double> voltage_limit;  // [V]; holds for current commands too where there is a resistance
  /// All that stands between the command and the axes: winding, shafts and gear. Its constants above then count no more, and of its
  /// limits that of the command.
  std::optional<LinearDrive> linear;
};

/// Throws ModelError where it drives an axis that is not there or has an impossible number.
void check(const Motor& motor, int axes);

}  // namespace armature::plant
