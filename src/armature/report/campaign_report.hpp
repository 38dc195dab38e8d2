// The page of a campaign: verdict, histograms, what matters, runs side by side, the worst ones to click.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "armature/campaign/answers.hpp"
#include "armature/record/report.hpp"

namespace armature::report {

/// A run that is kept as a log, and where its page is.
struct KeptRun {
  std::uint64_t run = 0;
  std::string why;     // "worst of tool_largest"
  std::string folder;  // relative to the campaign's page
};

/// All answers, with the runs that are kept as logs to click on.
Report campaign_report(const CampaignRuns& runs, const RunStore& store, const Answers& answers,
                       const std::vector<KeptRun>& kept);

}  // namespace armature::report
