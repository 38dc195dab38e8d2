// The answers of a campaign as tables and sentences.
#pragma once

#include <string>

#include "armature/campaign/answers.hpp"
#include "armature/record/log.hpp"

namespace armature::report {

/// The unit in which the requirement's bound is written, in SI units.
double scale_of_bound(const Requirement& requirement);
/// A number in that unit: "1.73 mm".
std::string in_unit_of(const Requirement& requirement, double value);
/// "97.1 % (95.9 to 98.1)"
std::string probability_text(const Probability& probability);

/// How likely each requirement is kept, quantiles of what it is about, and what matters.
LogTable verdict_table(const Answers& answers);
LogTable quantile_table(const Answers& answers);
LogTable influence_table(const RequirementAnswer& answer);

/// One sentence: what was shown, and of what.
std::string verdict_sentence(const CampaignRuns& runs, const Answers& answers);

}  // namespace armature::report
