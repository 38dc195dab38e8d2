// The robot of a scenario: its file alone, or a map that also says which arm of the file is meant.
//     robot: ur5e
//     robot: {file: two_arms.urdf, tip: left_tool0, lock: {torso_lift: 10 cm}}
#pragma once

#include "armature/formats/arm_choice.hpp"
#include "armature/formats/settings_yaml.hpp"

namespace armature::scenario {

/// Reads what a map under `key` says besides the file, and leaves the file alone in its place, as a scenario's settings read it.
/// `what` names it in messages: "belief.robot". Throws FormatError with place and hint.
ArmChoice take_choice(Yaml& map, const std::string& what, const std::string& key);

/// A written scenario in which the line of the robot, indented by `indent` in the block `block` (empty: none), also says the choice.
std::string with_choice(const std::string& text, const std::string& block, std::size_t indent, const ArmChoice& choice);

/// A robot that is written as a file alone, as a map, so that `--set robot.tip=...` has a place to go.
void open_robot(Yaml& map);

/// The keys of such a map.
std::vector<SettingKey> choice_keys(const std::string& what);

}  // namespace armature::scenario
