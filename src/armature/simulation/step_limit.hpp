// Whether steps of a fixed length follow a plant.
#pragma once

#include <complex>
#include <string>

#include "armature/simulation/linearize.hpp"

namespace armature::simulation {

/// How the classical Runge–Kutta method of order 4 follows the mode of a linearized plant that it follows worst.
///
/// A step h multiplies a mode with eigenvalue s by R(z) = 1 + z + z²/2 + z³/6 + z⁴/24, z = h s, in place of exp(z). The
/// difference adds up for as long as the mode is remembered: 1/(1 - |exp(z)|) steps, at most those of the run.
struct StepLimit {
  bool allowed = true;
  std::complex<double> eigenvalue = 0;  // of the worst mode [1/s]
  double step = 0;                      // the length that was looked at [s]
};

/// For `steps` steps of length `step` about a state. At rest a mode that decays without swinging needs no more than stability: it
/// is dry friction with a smoothed sign, whose steep part is over before it shows. Slopes are taken by differences: a tenth of the cost of exact ones, and
/// enough to tell how fast a mode is.
StepLimit step_limit(const Plant& plant, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                     const Modes& modes, double step, double steps, bool at_rest);

/// "its fastest mode decays with 2.1e+06 1/s, and 1 ms times that is 2100"
std::string to_string(const StepLimit& limit);

}  // namespace armature::simulation
