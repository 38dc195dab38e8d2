// What a run leaves for people and for programs.
#pragma once

#include "armature/record/report.hpp"
#include "armature/run/comparison.hpp"

namespace armature::run {

/// What the page of a run is drawn from.
Report run_report(const LoadedScenario& loaded, const RunResult& result);

/// Whether it is complete, how far the joints strayed, what happened and what it cost, as JSON.
std::string run_json(const LoadedScenario& loaded, const RunResult& result);

/// Several runs side by side, as JSON: a list with how well each followed its reference, and what it cost.
std::string comparison_json(const std::vector<RunMetrics>& runs);

}  // namespace armature::run
