// What a scenario wants, as a function of time alone: asked twice for the same time, it answers the same.
#pragma once

#include "armature/run/loaded_scenario.hpp"
#include "armature/simulation/loop.hpp"

namespace armature::run {

/// How much of the tool's motion is worked out where a scenario gives the joints'.
enum class ToolPart { none, pose, motion };

/// Of the joints and of the tool alike: what the scenario gives of one is completed by the kinematics of the believed arm.
/// `start` is where the arm starts. Adds to `warnings` where the tool is asked to go out of reach.
ReferenceSource reference_of(const LoadedScenario& loaded, const VecX<double>& start,
                             std::vector<std::string>& warnings, ToolPart tool = ToolPart::motion);

/// Standing still at q, joints and tool.
Reference standing(const Arm& arm, const VecX<double>& q);

/// The time within a motion that is made so many times, `since` the first began [s]. Behind the last it goes on.
double time_of_round(double since, double duration, int repeat);

/// Kinds of motion of the joints; q, qd, qdd only.
ReferenceSource joint_reference(const LoadedScenario& loaded, const VecX<double>& from);
/// Kinds of motion of the tool; joints by inverse kinematics.
ReferenceSource tool_reference(const LoadedScenario& loaded, const VecX<double>& from,
                               std::vector<std::string>& warnings);

}  // namespace armature::run
