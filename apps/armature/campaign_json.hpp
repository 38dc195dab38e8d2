// The answers of a campaign for machines.
#pragma once

#include "armature/campaign/answers.hpp"
#include "json_out.hpp"

namespace armature::app {

Json answers_json(const CampaignRuns& runs, const Answers& answers);

}  // namespace armature::app
