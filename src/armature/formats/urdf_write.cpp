#include <fmt/format.h>

#include <set>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/internal/plain_friction.hpp"
#include "armature/formats/markup.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/model/dh.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::formats {

namespace {

std::string numbers(const Vec3<double>& v) {
  return fmt::format("{} {} {}", exact_text(v[0]), exact_text(v[1]), exact_text(v[2]));
}
bool is_identity(const Pose<double>& X) { return X.R == Mat3<double>::Identity() && X.p.isZero(0); }
Placement placement_of(const Pose<double>& X) { return {X.p, rpy_from_rotation(X.R).angles}; }

class UrdfWriter {
 public:
  explicit UrdfWriter(const Arm& arm) : arm_(arm.description()) {
    for (const JointDescription& joint : arm_.joints) {
      names_.insert(joint.name);
      names_.insert(joint.link.name);
    }
  }

  std::string write() {
    out_ = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot name=\"{}\">\n", markup_escaped(arm_.name));
    list_what_is_left_out();
    std::string parent = free_name("base");
    write_link(parent, std::nullopt, arm_.base_shapes, pose_of(arm_.base));
    Pose<double> X_UL = pose_of(arm_.base);  // the described link frame in the frame that the URDF gives the link
    for (const JointDescription& joint : arm_.joints) {
      Placement origin;
      Vec3<double> axis = Vec3<double>::UnitZ();
      Pose<double> X_next;
      if (const auto* placed = std::get_if<OriginAxis>(&joint.placement)) {  // URDF's own way
        origin = is_identity(X_UL) ? placed->origin : placement_of(X_UL * pose_of(placed->origin));
        axis = placed->axis;
      } else {
        const JointFrames frames = joint_frames(joint, arm_.convention);
        origin = placement_of(X_UL * frames.X_PB0);
        X_next = frames.X_BL;
      }
      write_joint(joint, parent, origin, axis);
      write_link(joint.link.name, joint.link.mass, joint.link.shapes, X_next);
      parent = joint.link.name;
      X_UL = X_next;
    }
    const Pose<double> X_UT = X_UL * pose_of(arm_.tool);
    if (arm_.payload || !is_identity(X_UT)) {
      const std::string tool = free_name("tool");
      start_joint(free_name("tool_joint"), "fixed", parent, tool, placement_of(X_UT));
      out_ += "  </joint>\n";
      write_link(tool, arm_.payload, {}, {});
    }
    return out_ + "</robot>\n";
  }

 private:
  std::string free_name(std::string name) {
    while (!names_.insert(name).second) name += '_';
    return name;
  }

  void list_what_is_left_out() {
    std::string text = fmt::format("Not said by URDF: {}.", fmt::join(left_out_of_urdf(arm_), "; "));
    for (std::size_t i = 0; (i = text.find("--", i)) != std::string::npos;) text[i + 1] = ' ';
    out_ += fmt::format("  <!-- {} -->\n", text);
  }

  void start_joint(const std::string& name, const char* type, const std::string& parent, const std::string& child,
                   const Placement& origin) {
    out_ += fmt::format("  <joint name=\"{}\" type=\"{}\">\n", markup_escaped(name), type);
    out_ += fmt::format("    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n", markup_escaped(parent),
                        markup_escaped(child));
    out_ += fmt::format("    <origin xyz=\"{}\" rpy=\"{}\"/>\n", numbers(origin.xyz), numbers(origin.rpy));
  }

  void write_joint(const JointDescription& joint, const std::string& parent, const Placement& origin,
                   const Vec3<double>& axis) {
    const Limits& limits = joint.limits;
    const bool bounded = limits.lower && limits.upper;
    const char* type = joint.type == JointType::fixed       ? "fixed"
                       : joint.type == JointType::prismatic ? "prismatic"
                       : bounded                            ? "revolute"
                                                            : "continuous";
    start_joint(joint.name, type, parent, joint.link.name, origin);
    if (joint.type != JointType::fixed) {
      out_ += fmt::format("    <axis xyz=\"{}\"/>\n", numbers(axis));
      if (bounded || limits.velocity || limits.torque || limits.acceleration) {
        std::string text = "    <limit";
        if (bounded)
          text += fmt::format(" lower=\"{}\" upper=\"{}\"", exact_text(*limits.lower), exact_text(*limits.upper));
        // URDF insists on effort and velocity; 0 stands for unknown
        text += fmt::format(" effort=\"{}\" velocity=\"{}\"", exact_text(limits.torque.value_or(0)),
                            exact_text(limits.velocity.value_or(0)));
        if (limits.acceleration) text += fmt::format(" acceleration=\"{}\"", exact_text(*limits.acceleration));
        out_ += text + "/>\n";
      }
      if (!std::holds_alternative<NoFriction>(joint.friction)) {
        const CoulombViscous friction = plain_friction(joint.friction).law;
        out_ += fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"/>\n", exact_text(friction.viscous),
                            exact_text(friction.coulomb));
      }
    }
    out_ += "  </joint>\n";
  }

  /// X_UL: the described frame of the link in the frame that the URDF gives it.
  void write_link(const std::string& name, const std::optional<MassProperties>& mass, const LinkShapes& shapes,
                  const Pose<double>& X_UL) {
    const bool weighs = mass && !(*mass == MassProperties{});
    if (!weighs && shapes == LinkShapes{}) {
      out_ += fmt::format("  <link name=\"{}\"/>\n", markup_escaped(name));
      return;
    }
    out_ += fmt::format("  <link name=\"{}\">\n", markup_escaped(name));
    if (weighs) write_inertial(name, *mass, X_UL);
    for (const Shape& shape : shapes.visual) write_shape("visual", shape, X_UL);
    for (const Shape& shape : shapes.collision) write_shape("collision", shape, X_UL);
    out_ += "  </link>\n";
  }

  void write_inertial(const std::string& name, const MassProperties& mass, const Pose<double>& X_UL) {
    if (mass.mass == 0)
      throw ModelError(fmt::format("link '{}' has inertia but no mass", printable(name)),
                       "URDF places inertia at a centre of mass: give the link a mass");
    Vec3<double> com = mass.position;
    Mat3<double> I = mass.tensor;
    if (!is_identity(X_UL) || mass.position_is_first_moment || mass.tensor_about_origin) {
      const Inertia<double> inertia = seen_from(X_UL, inertia_of(mass));
      com = inertia.h / inertia.m;
      I = central_inertia(inertia);
    }
    out_ += fmt::format("    <inertial>\n      <origin xyz=\"{}\"/>\n      <mass value=\"{}\"/>\n", numbers(com),
                        exact_text(mass.mass));
    out_ += fmt::format("      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n",
                        exact_text(I(0, 0)), exact_text(I(0, 1)), exact_text(I(0, 2)), exact_text(I(1, 1)),
                        exact_text(I(1, 2)), exact_text(I(2, 2)));
    out_ += "    </inertial>\n";
  }

  void write_shape(const char* kind, const Shape& shape, const Pose<double>& X_UL) {
    const Placement place = is_identity(X_UL) ? shape.place : placement_of(X_UL * pose_of(shape.place));
    out_ += fmt::format("    <{}>\n      <origin xyz=\"{}\" rpy=\"{}\"/>\n      <geometry>", kind, numbers(place.xyz),
                        numbers(place.rpy));
    const Vec3<double>& size = shape.size;
    switch (shape.kind) {
      case Shape::Kind::box:
        out_ += fmt::format("<box size=\"{}\"/>", numbers(size));
        break;
      case Shape::Kind::cylinder:
        out_ += fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", exact_text(size[0]), exact_text(size[1]));
        break;
      case Shape::Kind::sphere:
        out_ += fmt::format("<sphere radius=\"{}\"/>", exact_text(size[0]));
        break;
      case Shape::Kind::mesh:
        out_ += fmt::format("<mesh filename=\"{}\" scale=\"{}\"/>", markup_escaped(shape.mesh), numbers(size));
        break;
    }
    out_ += "</geometry>\n";
    if (shape.colour) {
      const auto& c = *shape.colour;
      out_ += fmt::format("      <material name=\"{}\"><color rgba=\"{} {} {} {}\"/></material>\n",
                          fmt::format("colour_{}", ++colours_), exact_text(c[0]), exact_text(c[1]), exact_text(c[2]),
                          exact_text(c[3]));
    }
    out_ += fmt::format("    </{}>\n", kind);
  }

  const ArmDescription& arm_;
  std::set<std::string> names_;
  int colours_ = 0;
  std::string out_;
};

}  // namespace

std::vector<std::string> left_out_of_urdf(const ArmDescription& arm) {
  std::vector<std::string> missing;
  missing.push_back(fmt::format("gravity {}", numbers(arm.gravity)));
  for (const JointDescription& joint : arm.joints) {
    if (const std::string lost = plain_friction(joint.friction).left_out; !lost.empty())
      missing.push_back(fmt::format("{} of joint {}", lost, joint.name));
    if (joint.limits.lower.has_value() != joint.limits.upper.has_value())
      missing.push_back(fmt::format("the only position limit of joint {}", joint.name));
    Drive unsourced = joint.drive;
    unsourced.source.clear();
    if (!(unsourced == Drive{})) missing.push_back(fmt::format("drive of joint {}", joint.name));
    if (joint.spring) missing.push_back(fmt::format("spring of joint {}", joint.name));
    if (joint.flexible) missing.push_back(fmt::format("how link {} bends and twists", joint.link.name));
  }
  if (arm.couplings) missing.emplace_back("couplings");
  if (!arm.unphysical.empty()) missing.push_back("unphysical: " + arm.unphysical);
  return missing;
}

//  URDF writes no units, so its readers refuse numbers that are usually in millimetres or degrees; ours says here which.
std::string write_urdf(const Arm& arm) {
  std::string text = UrdfWriter(arm).write();
  try {
    parse_urdf(text, arm.name());
  } catch (const Error& error) {
    throw ModelError(fmt::format("arm '{}' cannot be written as a URDF that is read again: {}", printable(arm.name()),
                                 error.finding()),
                     "an arm file (.yaml) says it with units");
  }
  return text;
}

}  // namespace armature::formats
