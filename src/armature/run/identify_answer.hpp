// What identification and validation answer a program, as JSON: the verbs with --json, and the C interface.
#pragma once

#include <optional>
#include <string>

#include "armature/identification/joint_filter.hpp"
#include "armature/identification/payload.hpp"
#include "armature/run/identify_log.hpp"

namespace armature::run {

/// Parameters with their intervals, errors, joints, links, sentences.
std::string identification_json(const Identification& result, const MeasuredLog& log);
std::string payload_json(const Arm& arm, const PayloadEstimate& payload);
std::string joint_filter_json(const Arm& arm, const JointFilter& result);

/// Why a prediction is no good; empty where it is. `required`: largest share of the torques, over all rows, that is accepted.
std::string prediction_failure(const Arm& arm, const Prediction& prediction, std::optional<double> required);
/// Errors joint by joint, and whether the model predicts the log.
std::string validation_json(const Arm& arm, const Prediction& prediction, const std::string& failure,
                            const MeasuredLog& log);

}  // namespace armature::run
