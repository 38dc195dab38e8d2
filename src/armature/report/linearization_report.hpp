// The page of a linearized plant.
#pragma once

#include "armature/record/report.hpp"
#include "armature/simulation/linearize.hpp"

namespace armature::report {

/// Modes as a table and as poles, where there are some, and the responses that were asked for.
Report linearization_report(const std::string& title, const std::vector<Mode>& modes, std::vector<Spectrum> responses);

}  // namespace armature::report
