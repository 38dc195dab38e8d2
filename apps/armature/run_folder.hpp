// What one run leaves for people: its log, its scenario and a page.
#pragma once

#include "armature/run/comparison.hpp"
#include "armature/run/run_scenario.hpp"
#include "output_folder.hpp"

namespace armature::app {

/// A row per joint: where it ends, how far it strays from its reference, and what its drive gives.
LogTable run_summary(const LoadedScenario& loaded, const RunResult& result, const RunMetrics& metrics);

/// "71 % of the time".
std::string share_text(const Saturation& motor);

/// Writes scenario.yaml, log.csv, report.json and index.html into the folder, or under "case/" in it. Returns where the page will be.
std::string write_run(const LoadedScenario& loaded, const RunResult& result, OutputFolder& folder,
                      const std::string& under);

}  // namespace armature::app
