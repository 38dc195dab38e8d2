// What the machines have in common: reading a log into a source, identifying on one part, predicting another.
#pragma once

#include "armature/identification/identify.hpp"
#include "armature/run/measured_log.hpp"
#include "study.hpp"

namespace armature::studies::measured {

/// A log in memory, read through a map; gears and couplings are the arm's.
MotionBlock read_motion(const std::string& file, const Arm& arm, std::string_view map, bool standing_joints = false);

/// Where every machine starts: default_processing, joints slower than 0.05 rad/s (sliding: 5 mm/s) left out, friction laws and the
/// weight of the described inertia by cross-validation on the training part. Machines whose source fixes the model (emps, the
/// friction of tx40), or whose log has unusable parts (kr300), say so where they depart from it.
IdentifySettings rules(const std::function<void(const std::string&)>& progress, const std::string& machine);

/// Torques of a log as the parameters x of a model predict them.
Prediction predict(const TorqueModel& model, const Eigen::VectorXd& x, const MotionBlock& log,
                   const Processing& processing);

/// Of rows in which the joint moves, or of all.
std::string percents(const std::vector<JointError>& joints, bool all_rows = false);

}  // namespace armature::studies::measured
