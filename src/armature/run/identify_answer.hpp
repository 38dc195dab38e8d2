// What identification and validation answer a program, as JSON: the verbs with --json, and the C interface.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/identification/joint_filter.hpp"
#include "armature/identification/own_parameters.hpp"
#include "armature/identification/payload.hpp"
#include "armature/run/identify_choice.hpp"
#include "armature/run/identify_log.hpp"

namespace armature::run {

/// The estimate in the parameters that were asked for.
struct OwnAnswer {
  OwnParameters parameters;
  std::vector<std::string> warnings;  // about those that are said to be zero and that the log says are not
};
OwnAnswer own_answer(const Identification& result, const OwnColumns& asked);

/// Parameters with their intervals, errors, joints, links, sentences.
std::string identification_json(const Identification& result, const MeasuredLog& log,
                                const std::optional<OwnAnswer>& own = {});
std::string drive_gains_json(const Arm& arm, const std::vector<DriveGain>& gains);
std::string payload_json(const Arm& arm, const PayloadEstimate& payload);
std::string joint_filter_json(const Arm& arm, const JointFilter& result);

/// Why a prediction is no good; empty where it is. `required`: largest share of the torques, over all rows, that is accepted.
std::string prediction_failure(const Arm& arm, const Prediction& prediction, std::optional<double> required);
/// Errors joint by joint, and whether the model predicts the log.
std::string validation_json(const Arm& arm, const Prediction& prediction, const std::string& failure,
                            const MeasuredLog& log);

}  // namespace armature::run
