// Which combinations of inertial parameters show in the torques at all: the base parameters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// A matrix whose columns depend on each other, and the dependence: column d = sum_k coefficient(k, d) * column kept[k].
struct ColumnGroups {
  std::vector<int> kept;        // independent columns, ascending
  std::vector<int> dependent;   // combinations of them, ascending
  std::vector<int> zero;        // columns that vanish, ascending
  Eigen::MatrixXd coefficient;  // kept x all columns; identity for the kept ones
  double smallest_kept = 1;     // pivots of the QR factorization, as parts of the largest: the last that counts ...
  double largest_dropped = 0;   // ... and the first that does not; the tolerance lies between them
};

/// The rank is found by QR with column pivoting on columns scaled to unit length; a pivot below `tolerance` times the
/// largest is zero, and so is a column shorter than `tolerance` times the longest. Which columns are kept is the caller's choice: the first independent ones in the order `preferred`.
/// Throws Error when that choice finds another rank: the tolerance then lies among the pivots, not in a gap.
ColumnGroups independent_columns(const Eigen::MatrixXd& matrix, std::span<const int> preferred, double tolerance);

struct BaseParameterSettings {
  double tolerance =
      1e-5;         // of the rank, relative (see above); above what angles of 3.1416 in a file leave of a right one
  int states = 60;  // random states whose regressors are stacked
  std::uint64_t seed = 1;
  bool rotors = false;  // the rotors' inertias too: columns after those of the links (algorithms/regressor.hpp)
};

/// p_base = grouping * p, with p the link parameters (and rotor inertias) of algorithms/regressor.hpp; and the columns
/// `columns.kept` of the regressor times p_base are the torques.
struct BaseParameters {
  int dof = 0;
  ColumnGroups columns;
  [[nodiscard]] int count() const { return static_cast<int>(columns.kept.size()); }
  [[nodiscard]] const Eigen::MatrixXd& grouping() const { return columns.coefficient; }
};

/// The arm's base parameters, numerically [Gautier1991]. Kept are columns of links near the base before those near the
/// tool, moments of inertia before first moments before masses: a link's mass moves into the links before it, as in
/// [Gautier1990]. Offline: allocates. Structural: joint limits do not matter.
BaseParameters base_parameters(const Arm& arm, const BaseParameterSettings& settings = {});

/// The arm's own values.
Eigen::VectorXd base_parameter_values(const Arm& arm, const BaseParameters& base);

/// "mcx3", "Ixy2", "J1" of a column of the regressor.
std::string parameter_name(int dof, int column);

/// "p5 = Ixx3 - Iyy3 + 0.04 m3", one line a base parameter.
std::vector<std::string> base_parameter_text(const BaseParameters& base);

}  // namespace armature::algorithms
