// Kinematic calibration: the geometry of an arm as parameters, and how the tool moves with them.
//
// Every joint frame B_i and the tool T may lie a little beside the place that the description gives it:
//   X_PB0' = X_PB0 D(x, y, z, rx, ry, rz)     rz of a turning joint is its offset, x, y and z are lengths
// A joint may also turn by (1 + gear) q instead of q, and yield by compliance * g_i(q) under its gravity torque. That is more than a
// measurement can tell apart; which of it can be is found from the poses measured [Hollerbach1996], [Everett1987].
#pragma once

#include <string>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature::identification {

/// One parameter of the geometry, zero where the arm is as described.
struct GeometryParameter {
  enum class Kind { x, y, z, rx, ry, rz, gear, compliance };
  Kind kind;
  int joint;  // arm.dof(): the tool

  /// "elbow.rz", "tool.x"
  [[nodiscard]] std::string name(const Arm& arm) const;
  [[nodiscard]] bool is_length() const { return kind <= Kind::z; }
  /// [m], [rad], [-] or [rad/(N m)]
  [[nodiscard]] std::string unit() const;
};

/// All of them: six per joint and for the tool; a factor and a compliance per joint where they are asked for.
std::vector<GeometryParameter> geometry_parameters(const Arm& arm, bool gears, bool compliances);

/// Those columns that are no combination of columns before them.
std::vector<int> independent_columns(const Eigen::MatrixXd& columns);

/// Where the tool is, and the columns of its motion: (position; rotation) in world axes per parameter.
struct ToolSensitivity {
  Pose<double> X_WT;
  Eigen::MatrixXd columns;  // 6 x parameters
};

/// The arm with changed geometry.
class CalibratedGeometry {
 public:
  CalibratedGeometry(const Arm& arm, std::vector<GeometryParameter> parameters);
  /// Adds to the parameters; placements move by exact motions, however large.
  void change(const Eigen::VectorXd& by);
  /// The whole arm placed elsewhere: X_WB of the first joint is multiplied by it from the left.
  void move_base(const Pose<double>& by);

  [[nodiscard]] const Arm& arm() const { return arm_; }
  [[nodiscard]] const std::vector<GeometryParameter>& parameters() const { return parameters_; }
  /// The sum of all changes; of the first joint, how far it is from its described place in all.
  [[nodiscard]] Eigen::VectorXd values() const;
  [[nodiscard]] Pose<double> tool(const VecX<double>& q) const;
  [[nodiscard]] ToolSensitivity sensitivity(const VecX<double>& q) const;
  /// The arm's description with this geometry: placements as joint origins and axes (URDF's way), links with the inertia they had,
  /// gear ratios and stiffnesses where they were fitted.
  [[nodiscard]] ArmDescription description() const;

 private:
  /// The joints' own positions: what gears and compliance make of the readings.
  [[nodiscard]] VecX<double> turned(const VecX<double>& q) const;

  Arm arm_;
  std::vector<GeometryParameter> parameters_;
  std::vector<Pose<double>> X_PB0_;
  Pose<double> X_BT_;
  VecX<double> gear_, compliance_;
  Eigen::VectorXd values_;
};

}  // namespace armature::identification
