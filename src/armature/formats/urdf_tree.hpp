// The links and joints of a URDF as written, before a chain is picked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/model/description.hpp"

namespace armature {

struct UrdfLink {
  std::string name;
  Place place;
  std::optional<MassProperties> mass;  // in the link's frame
  Place mass_place;
  std::optional<std::size_t> parent_joint;  // none: a root
  std::vector<std::size_t> child_joints;
};

enum class UrdfJointType { revolute, continuous, prismatic, fixed, floating, planar };

struct UrdfJoint {
  std::string name;
  Place place;
  UrdfJointType type = UrdfJointType::fixed;
  std::size_t parent = 0, child = 0;  // links
  Placement origin;
  Vec3<double> axis = Vec3<double>::UnitX();
  Limits limits;
  Place limits_place;
  Friction friction;
  Place friction_place;
  std::optional<Place> mimic;  // follows another joint, says the element here
  [[nodiscard]] bool moves() const { return type != UrdfJointType::fixed; }
};

/// A tree: one root, every other link hangs from one joint.
struct UrdfTree {
  std::string name;
  Place place;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<std::size_t> order;  // of the links, parents first; the first is the root
  std::vector<std::string> warnings;
};

/// Throws FormatError with line, column and hint.
UrdfTree read_urdf_tree(std::string_view text, const std::string& file);

/// The link that `name` may be meant to be, or those there are: for the hint of an Error.
std::string link_hint(const UrdfTree& tree, const std::string& name);

}  // namespace armature
