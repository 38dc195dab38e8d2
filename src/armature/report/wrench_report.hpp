// What is shown of a calibrated force/torque sensor: tables, and what the calibration leaves of its readings.
#pragma once

#include "armature/identification/wrench_sensor.hpp"
#include "armature/record/report.hpp"

namespace armature::report {

/// Tool, mounting, offsets, drift, gains and gravity with their intervals, as far as they were found; then the channels.
std::vector<LogTable> wrench_tables(const WrenchCalibration& found);

/// The same with the sentences and with what is left of the readings over time; `names` are those of the logs.
Report wrench_report(const Arm& arm, const WrenchCalibration& found, const std::vector<WrenchLog>& logs, double cutoff,
                     const std::string& names);

}  // namespace armature::report
