// What a fitted drive says to people: sentences, tables, plots.
#pragma once

#include "armature/identification/drive_fit.hpp"
#include "armature/record/log.hpp"

namespace armature {

/// How well the logs are met, what they leave open, what looks wrong.
std::vector<std::string> sentences(const DriveModel& model, const DriveFit& fit);

/// The parameters with their intervals, and the fit of each log.
std::vector<LogTable> drive_tables(const DriveFit& fit);

/// Measured and fitted responses with the tables in the first log, one more log a motion.
std::vector<Log> drive_logs_of(const DriveModel& model, const DriveFit& fit, const std::vector<DriveFrf>& responses,
                               const std::vector<DriveMotion>& motions);

}  // namespace armature
