// Several runs as one table, for people and for machines.
#pragma once

#include <string>
#include <vector>

#include "armature/run/comparison.hpp"
#include "json_out.hpp"

namespace armature::app {

/// Following, effort and energy, a row per run; then the errors of every joint.
std::string comparison_text(const std::vector<RunMetrics>& runs);
Json comparison_json(const std::vector<RunMetrics>& runs);

}  // namespace armature::app
