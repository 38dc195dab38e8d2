#include "armature/identification/internal/residual_sentence.hpp"

#include <fmt/format.h>

namespace armature::identification {

std::string correlation_sentence(int joint, const Whiteness& w) {
  constexpr double matters = 1.5;  // intervals of white residuals would be 1.2 times too narrow
  if (w.chance >= 0.01 || w.correlated_over < matters) return {};
  const double n = w.correlated_over;
  return fmt::format(
      "Residuals of joint {} are correlated (lag-1 autocorrelation {:.2f}): about {} samples carry as much information "
      "as one; the intervals allow for that.",
      joint + 1, w.lag_one, n < 100 ? fmt::format("{:.2g}", n) : fmt::format("{:.0f}", n));
}

}  // namespace armature::identification
