// What fits of drives and springs answer to machines.
#pragma once

#include "armature/identification/drive_fit.hpp"
#include "json_out.hpp"

namespace armature::app {

/// Whether it converged, its parameters with their intervals, and what the logs leave open; added to `answer`.
void add_estimates(const DriveFit& fit, Json& answer);

}  // namespace armature::app
