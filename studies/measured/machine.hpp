// What the machines have in common: reading a log into a source, identifying on one part, predicting another.
#pragma once

#include "armature/identification/identify.hpp"
#include "armature/run/measured_log.hpp"

namespace armature::measured {

/// A log in memory, read through a map; gears and couplings are the arm's.
MotionBlock read_motion(const std::string& file, const Arm& arm, std::string_view map, bool standing_joints = false);

/// The rules that hold for every machine: usual_processing, joints slower than 0.05 rad/s (sliding: 5 mm/s) left out, friction laws
/// and the weight of the described inertia by cross-validation on the training part.
IdentifySettings rules(const std::function<void(const std::string&)>& progress, const std::string& machine);

/// Torques of a log as the parameters x of a model predict them.
Prediction predict(const TorqueModel& model, const Eigen::VectorXd& x, const MotionBlock& log,
                   const Processing& processing);

std::string percents(const std::vector<JointError>& joints);

}  // namespace armature::measured
