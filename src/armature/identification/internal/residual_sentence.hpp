// How many samples a log is worth, said of a joint's residuals.
#pragma once

#include <string>

#include "armature/identification/statistics.hpp"

namespace armature::identification {

/// A sentence where residuals are correlated so that the log counts for clearly fewer samples than it has; empty where they may as
/// well be white, or where the correlation is certain but too weak to matter. `joint` counts from 0.
std::string correlation_sentence(int joint, const Whiteness& whiteness);

}  // namespace armature::identification
