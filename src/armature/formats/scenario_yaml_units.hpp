// How a scenario writes the unit of a setting.
#pragma once

#include "armature/formats/yaml.hpp"
#include "armature/scenario/settings.hpp"

namespace armature {

FileUnit unit_of(Dimension d, bool angle = false);
FileUnit unit_of(const JointDimension& d, bool slides);
FileUnit unit_of(const TaskDimension& d, bool about);

/// The coordinates of a task, true for those about an axis: "position" x, y, z; "planar" x, y, phi; "plane" x, y;
/// "pose" all six.
std::vector<bool> coordinates_of(const std::string& task);

}  // namespace armature
