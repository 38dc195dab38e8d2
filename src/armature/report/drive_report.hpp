// What is shown of a fitted drive: tables and plots.
#pragma once

#include "armature/identification/drive_sentences.hpp"
#include "armature/record/log.hpp"

namespace armature::report {

/// The parameters with their intervals, and the fit of each log.
std::vector<LogTable> drive_tables(const DriveFit& fit);

/// Measured and fitted responses with the tables in the first log, one more log per motion.
std::vector<Log> drive_logs_of(const DriveModel& model, const DriveFit& fit, const std::vector<DriveFrf>& responses,
                               const std::vector<DriveMotion>& motions);

}  // namespace armature::report
