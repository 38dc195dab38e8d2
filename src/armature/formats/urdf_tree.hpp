// The links and joints of a URDF as written, before a chain is picked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/model/description.hpp"

namespace armature::formats {

struct UrdfLink {
  std::string name;
  Place place;
  std::optional<MassProperties> mass;  // in the link's frame; what `lacks` names is zero
  Place mass_place;
  std::string lacks;   // what a complete <inertial> has and this one has not: "<mass>"; empty: nothing
  bool shape = false;  // has a <visual> or <collision>: more than a frame
  LinkShapes shapes;   // those of them that can be drawn
  std::optional<std::size_t> parent_joint;  // none: a root
  std::vector<std::size_t> child_joints;
  std::string fault;  // of a sketch: what of it could not be read
};

/// `unknown` is in sketches alone.
enum class UrdfJointType { revolute, continuous, prismatic, fixed, floating, planar, unknown };

/// The position of the joint is multiplier * (that of the other) + offset.
struct UrdfMimic {
  std::string joint;
  double multiplier = 1, offset = 0;
  Place place;
};

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
  std::optional<UrdfMimic> mimic;  // follows another joint
  std::string fault;               // of a sketch: what of it could not be read
  [[nodiscard]] bool moves() const { return type != UrdfJointType::fixed; }
  /// A motor can move it by one coordinate of its own.
  [[nodiscard]] bool is_axis() const {
    return !mimic &&
           (type == UrdfJointType::revolute || type == UrdfJointType::continuous || type == UrdfJointType::prismatic);
  }
};

/// Links that hang from one joint each, except the roots: one of a sound file, more where parts are not connected.
struct UrdfTree {
  std::string name;
  Place place;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<std::size_t> roots;  // links, in the order of the file
  std::vector<std::size_t> order;  // of the links, parents first
  std::vector<std::string> warnings;
  std::vector<std::string> loose;   // of a sketch: what could not be placed in the tree, and why
  std::vector<std::string> faults;  // of a sketch: all of them, with place and hint
};

/// Lenient in what changes no number of an arm: looks, unknown words, a missing name. Each such thing is a warning, one for all
/// links or joints that share it. Throws FormatError with line, column and hint for the rest; numbers that look like millimetres
/// or degrees are a warning, too, where the file is taken `as_given`.
UrdfTree read_urdf_tree(std::string_view text, const std::string& file, bool as_given = false);

/// What of a tree there is, to look at: what cannot be read is said of its link or joint, and reading goes on. Throws FormatError
/// where there are no links to show.
UrdfTree sketch_urdf_tree(std::string_view text, const std::string& file);

/// The link that `name` may be meant to be, or those there are: for the hint of an Error.
std::string link_hint(const UrdfTree& tree, const std::string& name);

/// The first `most` names and how many more there are: for a message.
std::vector<std::string> some_of(std::vector<std::string> names, std::size_t most = 8);

/// The command that makes a URDF of a file with xacro in it: for the hint of an Error.
std::string expand_xacro(const std::string& file);

/// Without the rounding by which a tensor that was turned is not symmetric: an arm file writes one half of it.
Mat3<double> symmetric(const Mat3<double>& tensor);

/// `text` as one word of a shell's command.
std::string shell_word(const std::string& text);

}  // namespace armature::formats
