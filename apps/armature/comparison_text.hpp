// Several runs as one table, for people.
#pragma once

#include <string>
#include <vector>

#include "armature/run/comparison.hpp"
#include "names.hpp"

namespace armature::app {

/// Following, effort and energy, a row per run; then the errors of every joint.
std::string comparison_text(const std::vector<RunMetrics>& runs);

}  // namespace armature::app
