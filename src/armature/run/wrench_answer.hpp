// What the calibration of a force/torque sensor answers: for programs as JSON, and as files that later runs take.
#pragma once

#include <string>

#include "armature/identification/wrench_sensor.hpp"
#include "armature/record/log.hpp"

namespace armature::run {

/// Quantities with their intervals, errors of the channels, sentences.
std::string wrench_json(const WrenchCalibration& found, const std::vector<std::string>& notes);

/// The arm with the tool as its payload.
ArmDescription carrying(const Arm& arm, const WrenchCalibration& found, const std::string& source);

/// As YAML, and back. Throws FormatError with the place.
std::string write_sensor(const WrenchSensor& sensor);
WrenchSensor read_sensor(const std::string& path);

/// What the surroundings do to the tool in every row: the channels force_x to moment_z, about the sensor's origin and in its axes.
Log contact_log(const Arm& arm, const WrenchSensor& sensor, const std::vector<WrenchLog>& logs, double cutoff);

}  // namespace armature::run
