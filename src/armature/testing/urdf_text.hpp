// Parts of URDF files, for tests of their readers.
#pragma once

#include <string>

#include "armature/rooms.hpp"

namespace armature::testing {

inline const std::string urdf_mass =
    R"(<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>)";

inline std::string urdf_link(const std::string& name, const std::string& inside = urdf_mass) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}
inline std::string urdf_joint(const std::string& name, const std::string& type, const std::string& parent,
                              const std::string& child, const std::string& inside = "") {
  const std::string limit =
      type == "revolute" || type == "prismatic" ? "<limit lower='-1' upper='1' effort='5' velocity='2'/>" : "";
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         (inside.find("<limit") == std::string::npos ? limit : "") + inside + "</joint>\n";
}
inline std::string urdf_robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>\n"; }

}  // namespace armature::testing
