// How many samples a log is worth, said of the joints' residuals.
#pragma once

#include <span>
#include <string>

#include "armature/identification/statistics.hpp"

namespace armature::identification {

/// A sentence that names the joints whose residuals are correlated so that the log counts for clearly fewer samples than it has; empty
/// where all may as well be white, or where the correlation is certain but too weak to matter. One item per joint.
std::string correlation_sentence(std::span<const Whiteness> joints);

}  // namespace armature::identification
