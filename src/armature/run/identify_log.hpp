// From logs on disk to an arm, in C++:
//
//   const Arm arm = load_arm("robot.urdf").arm;
//   const Identification found = identify(arm, MeasuredLog({"run_1.csv", "run_2.csv"}, arm));
//   const Prediction error = validate(Arm(found.arm), MeasuredLog("run_3.csv", arm));
#pragma once

#include "armature/identification/identify.hpp"
#include "armature/run/measured_log.hpp"

namespace armature::run {

/// The processing that the verbs begin with: what the log says of its torques, and the default standstill.
Processing default_processing(const MeasuredLog& log);

/// Identifies an arm from a log as `armature identify` does it. Settings that are given stay; what they leave at zero is chosen by the log.
Identification identify(const Arm& arm, const MeasuredLog& log, IdentifySettings settings = {});
/// Compares an arm's predictions with a log as `armature validate` does it; with `choose_velocity` the log's own velocities are used where they serve better.
Prediction validate(const Arm& arm, const MeasuredLog& log, Processing processing = {}, bool choose_velocity = true);

}  // namespace armature::run

namespace armature {
using run::identify;
using run::validate;
}  // namespace armature
