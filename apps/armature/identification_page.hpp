// Pages of identify and validate.
#pragma once

#include "armature/identification/identify.hpp"
#include "armature/record/report.hpp"

namespace armature {

/// `from`: the name of the log.
/// Parameters with their intervals, how they go together, friction over speed, measured and predicted torques, what is left.
Report identify_report(const Identification& result, const std::string& from);

/// Measured and predicted torques of a log, and what is left.
Report validate_report(const Arm& arm, const Prediction& prediction, const std::string& from);

}  // namespace armature
