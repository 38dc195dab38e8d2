// Why readings are not those of a tool on a force/torque sensor: causes are tried, the one that explains them is named.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "armature/identification/wrench_fit.hpp"

namespace armature::identification {

/// Residual of forces and of moments, as shares of how much those change.
struct WrenchMisfit {
  double force = 0, moment = 0;
  [[nodiscard]] double worst() const { return std::max(force, moment); }
};
WrenchMisfit misfit(const std::vector<Factor>& channels, const WrenchParameters& x);

/// Throws Error with the cause where readings as they are leave much and another order or sign of the channels, or another direction of
/// gravity, leaves a third of it or less; and where nothing does and they are not explained.
void refuse_misfit(const std::vector<Factor>& channels, const WrenchFit& found, const WrenchUnknowns& unknowns,
                   const std::array<std::string, 6>& names);

/// Throws Error where mass and centre of mass say that readings are in another unit: `known` is the mass where it is.
void refuse_units(const WrenchParameters& x, double known);

}  // namespace armature::identification
