// Gains and filters from frequency responses, put into the controller of a scenario.
#pragma once

#include "armature/identification/tuning.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature::run {

/// The scenario's controller with `tuned` at a joint (from 1) of its joint_pd, joint_pid or computed_torque; a joint_pd becomes a
/// joint_pid. Other joints keep theirs. `unit` is that of the tuned command, empty where it is not known. Throws Error where there
/// is no such law, or more than one, or the command is none of its.
ControllerSettings with_tuned_joint(const LoadedScenario& loaded, ControllerSettings controller, int joint,
                                    const LoopController& tuned, const std::string& unit);

/// The block `controller` of a scenario file.
std::string controller_yaml(const LoadedScenario& loaded, const ControllerSettings& controller);

}  // namespace armature::run
