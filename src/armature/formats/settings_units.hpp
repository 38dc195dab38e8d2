// How files write the unit of a setting.
#pragma once

#include "armature/core/fields.hpp"
#include "armature/formats/yaml.hpp"

namespace armature::formats {

FileUnit unit_of(Dimension d, bool angle = false);
FileUnit unit_of(const JointDimension& d, bool slides);
FileUnit unit_of(const TaskDimension& d, bool about);

}  // namespace armature::formats
