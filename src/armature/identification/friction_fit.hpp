// Friction laws whose shape is found too: separable nonlinear least squares; LuGre from sliding and presliding.
#pragma once

#include "armature/identification/torque_model.hpp"
#include "armature/numerics/fit.hpp"

namespace armature::identification {

struct FrictionFit {
  FrictionShape shape;         // with its widths, speeds and slopes as found
  std::vector<double> values;  // of its columns, in the order of friction_parameter_names
  double offset = 0;
  Eigen::VectorXd shape_deviation;  // of a width or Stribeck speed, relative
  double rms = 0;                   // [N m | N]
  bool converged = false;
};

/// The law of that kind which, with an offset and any combination of `others` (columns of the same equations, the base parameters'
/// for example; may have no column), explains the torques best. What is linear is eliminated (variable projection [Golub2003]), only
/// widths, speeds and slopes are searched, from those of `start`; slopes of sigmoids within a factor of 2.2, so that no two become one.
FrictionFit fit_friction(const FrictionShape& start, const Eigen::VectorXd& speed, const Eigen::VectorXd& torque,
                         const Eigen::MatrixXd& others);

struct LuGreFit {
  LuGre law;
  Eigen::VectorXd deviation;  // relative, of sigma0, sigma1, sigma2, coulomb, stiction, stribeck_velocity
  double rms = 0;             // [N m | N]
  bool converged = false;
};

/// LuGre's six parameters from friction torques along a motion that slides and also turns round within presliding: the steady law
/// from samples faster than `sliding_speed`, the bristles from simulating their state along the whole motion [CanudasDeWit1995].
/// Samples are `step` [s] apart; the bristles begin at rest.
LuGreFit fit_lugre(const Eigen::VectorXd& speed, const Eigen::VectorXd& torque, double step, double sliding_speed);

/// The torques of the law along a motion, bristles at rest in the beginning; the speed is constant over a step.
Eigen::VectorXd lugre_torque(const LuGre& law, const Eigen::VectorXd& speed, double step);

}  // namespace armature::identification
