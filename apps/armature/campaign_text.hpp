// The answers of a campaign for people and for machines.
#pragma once

#include <string>

#include "armature/campaign/answers.hpp"
#include "armature/record/log.hpp"
#include "json_out.hpp"

namespace armature::app {

/// A number in the unit in which the requirement's bound is written: "1.73 mm".
std::string in_unit_of(const Requirement& requirement, double value);
/// "97.1 % (95.9 to 98.1)"
std::string probability_text(const Probability& probability);

/// How likely each requirement is kept, quantiles of what it is about, and what matters; as tables.
LogTable verdict_table(const Answers& answers);
LogTable quantile_table(const Answers& answers);
LogTable influence_table(const RequirementAnswer& answer);

/// One sentence: what was shown, and of what.
std::string verdict_sentence(const CampaignRuns& runs, const Answers& answers);

Json answers_json(const CampaignRuns& runs, const Answers& answers);

}  // namespace armature::app
