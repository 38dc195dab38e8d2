// What is shown of fitted springs of joints without a motor: tables and plots.
#pragma once

#include "armature/identification/spring_fit.hpp"
#include "armature/record/report.hpp"

namespace armature::report {

/// The parameters with their intervals, how each log is met or predicted, and the modes in each posture.
std::vector<LogTable> spring_tables(const SpringModel& model, const SpringFit& fit);

/// The same with measured and fitted responses; `logs` names what was fitted.
Report spring_report(const SpringModel& model, const SpringFit& fit, const std::string& logs);

}  // namespace armature::report
