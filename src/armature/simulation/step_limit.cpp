#include "armature/simulation/step_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace armature::simulation {

namespace {

constexpr double tolerated = 1e-2;      // error of a mode's amplitude or phase over the time it is remembered [-]
constexpr double longest_decay = 2.25;  // |z| of a mode that decays without swinging; the method is stable up to 2.785
constexpr double swings = 0.1;  // |Im z| / |Re z| from which a mode swings: a hundredth of a turn until it is gone

/// What is wrong with a mode, over what is tolerated.
double excess(std::complex<double> z, double steps, bool at_rest) {
  if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) return std::numeric_limits<double>::infinity();
  if (at_rest && z.real() < 0 && std::abs(z.imag()) <= swings * -z.real()) return std::abs(z) / longest_decay;
  const std::complex<double> taken = 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))),
                             true_one = std::exp(z);
  const double kept = std::abs(true_one);
  const double remembered = std::min(steps, kept < 1 ? 1 / (1 - kept) : steps);
  const double error = std::abs(taken - true_one) / std::max(1.0, kept) * remembered / tolerated;
  return std::abs(z) > longest_decay ? std::max(error, std::abs(z) / longest_decay) : error;
}

/// Without the two energy states.
LinearPlant slopes(const Plant& plant, double t, Eigen::VectorXd x, const Eigen::VectorXd& u, const Modes& modes) {
  constexpr double small = 1e-8;
  const Eigen::Index n = plant.states() - 2;
  LinearPlant linear{Eigen::MatrixXd(n, n), {}, {}};
  Eigen::VectorXd here(plant.states()), there(plant.states());
  plant.derivative<double>(t, x.data(), u.data(), modes, here.data());
  for (Eigen::Index j = 0; j < n; ++j) {
    const double before = x[j];
    x[j] += small * std::max(1.0, std::abs(before));
    plant.derivative<double>(t, x.data(), u.data(), modes, there.data());
    linear.A.col(j) = (there - here).head(n) / (x[j] - before);
    x[j] = before;
  }
  return linear;
}

}  // namespace

StepLimit step_limit(const Plant& plant, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                     const Modes& modes, double step, double steps, bool at_rest) {
  StepLimit limit{.allowed = true, .eigenvalue = 0, .step = step};
  const LinearPlant linear = slopes(plant, t, x, u, modes);
  if (!linear.A.allFinite()) return {false, std::numeric_limits<double>::infinity(), step};
  double worst = 0;
  for (const Mode& mode : modes_of(linear)) {
    const double size = excess(step * mode.eigenvalue, steps, at_rest);
    if (size > worst) {
      worst = size;
      limit.eigenvalue = mode.eigenvalue;
    }
  }
  limit.allowed = worst <= 1;
  return limit;
}

std::string to_string(const StepLimit& limit) {
  const double size = std::abs(limit.eigenvalue);
  if (limit.step * size < 1e-12) return "nothing in it swings or decays by itself";
  const bool swinging = std::abs(limit.eigenvalue.imag()) > swings * std::abs(limit.eigenvalue.real());
  return fmt::format("its fastest mode {} {:.3g} 1/s, and {:.4g} ms times that is {:.3g}",
                     swinging                      ? "swings at"
                     : limit.eigenvalue.real() > 0 ? "grows with"
                                                   : "decays with",
                     size, 1e3 * limit.step, limit.step * size);
}

}  // namespace armature::simulation
