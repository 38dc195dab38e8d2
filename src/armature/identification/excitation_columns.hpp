// The parameters that an experiment is to find, and the columns they have in the stacked regressor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/algorithms/base_parameters.hpp"

namespace armature::identification {

/// tau = (W columns) p with W the regressor of algorithms/regressor.hpp (and three friction columns per joint behind it, where
/// `friction`) and p = grouping * link parameters.
struct ParameterColumns {
  std::vector<std::string> names;  // "p1", ...
  Eigen::MatrixXd columns;         // all parameters x these
  Eigen::MatrixXd grouping;        // these x all parameters
  bool friction = false;           // Coulomb, viscous and offset of every joint are among them

  [[nodiscard]] int count() const { return static_cast<int>(names.size()); }
  /// Without the parameters of these names, which are known; throws Error for a name that is not there.
  [[nodiscard]] ParameterColumns without(const std::vector<std::string>& known) const;
};

/// The arm's base parameters as algorithms/base_parameters.hpp groups them.
ParameterColumns base_columns(const Arm& arm);

/// Base parameters as somebody else groups them, one per line as `armature compute base-parameters` prints them:
///     p3 = mcx3 + 0.415 m3          # a comment
/// Throws FormatError with line and column for what cannot be read, and Error where these parameters do not describe the
/// arm's torques or depend on each other.
ParameterColumns columns_from_text(const Arm& arm, std::string_view text, const std::string& file);

/// With Coulomb, viscous and offset columns of every joint.
ParameterColumns with_friction(const Arm& arm, ParameterColumns columns);

}  // namespace armature::identification
