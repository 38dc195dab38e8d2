// Several runs side by side, for people.
#pragma once

#include <string>
#include <vector>

#include "armature/record/log.hpp"
#include "armature/run/comparison.hpp"
#include "names.hpp"

namespace armature::app {

/// Following, effort and energy, a row per run; then the errors of every joint. Joints are called what the metrics call them.
std::vector<LogTable> comparison_tables(const std::vector<RunMetrics>& runs);
std::string comparison_text(const std::vector<RunMetrics>& runs);

}  // namespace armature::app
