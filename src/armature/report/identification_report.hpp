// What is shown of an identified model and of a prediction: tables, figures, pages.
#pragma once

#include "armature/identification/identify.hpp"
#include "armature/identification/joint_filter.hpp"
#include "armature/record/report.hpp"

namespace armature::report {

/// Parameters with their intervals, errors per joint, friction laws that were compared, links.
std::vector<LogTable> identification_tables(const Identification& result);

/// All of it as a log: measured and predicted torques, the tables, and the figures of the page.
Log identification_log(const Identification& result);

/// The page of a log named `from`: parameters with their intervals, how they go together, friction over speed, measured and predicted torques, residuals.
Report identify_report(const Identification& result, const std::string& from);

/// How the estimates of one joint went.
Report joint_filter_report(const Arm& arm, const JointFilter& result, const std::string& from);

/// Measured and predicted torques of a log, and their residuals.
Report validate_report(const Arm& arm, const Prediction& prediction, const std::string& from);

}  // namespace armature::report
