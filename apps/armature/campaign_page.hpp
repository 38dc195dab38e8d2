// The page of a campaign: verdict, histograms, what matters, runs side by side, the worst ones to click.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/campaign/answers.hpp"
#include "armature/record/report.hpp"
#include "names.hpp"

namespace armature::app {

/// A run that is kept as a log, and where its page is.
struct KeptRun {
  std::uint64_t run = 0;
  std::string why;     // "worst of tool_largest"
  std::string folder;  // relative to the campaign's page
};

Report campaign_report(const CampaignRuns& runs, const RunStore& store, const Answers& answers,
                       const std::vector<KeptRun>& kept);

}  // namespace armature::app
