// What the links of a URDF look like, and what touches.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "armature/formats/internal/xml.hpp"
#include "armature/model/description.hpp"

namespace armature::formats {

/// Red, green, blue and opacity by the name of a <material>.
using UrdfColours = std::map<std::string, std::array<double, 4>>;

/// Those of the robot and those that its links define on the way.
UrdfColours read_urdf_colours(const XmlElement& robot);

/// The shapes of a <visual> or <collision>, at the origin; a capsule is a cylinder and two balls. Throws FormatError where they cannot
/// be drawn. No mesh is opened here, but whoever draws the arm will: its path must stay in a
/// package, or below the folder above the file's.
std::vector<Shape> read_urdf_shapes(const XmlElement& xml, const UrdfColours& colours);

}  // namespace armature::formats
