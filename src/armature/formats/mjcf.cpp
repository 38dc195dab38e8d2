#include "armature/formats/mjcf.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <set>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/internal/plain_friction.hpp"
#include "armature/formats/markup.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::formats {

namespace {

constexpr double least_inertia = 1e-15;  // [kg | kg m²] that MuJoCo moves

template <class... Numbers>
std::string words(Numbers... numbers) {
  std::string text;
  ((text += (text.empty() ? "" : " ") + exact_text(numbers)), ...);
  return text;
}
std::string words(const Vec3<double>& v) { return words(v[0], v[1], v[2]); }

std::string pose_words(const Pose<double>& X) {
  const Quaternion q = quaternion_from_rotation(X.R);
  return fmt::format("pos=\"{}\" quat=\"{}\"", words(X.p), words(q[0], q[1], q[2], q[3]));
}

/// MuJoCo's ranges have a width.
bool has_range(const Limits& limits) { return limits.lower && limits.upper && *limits.lower < *limits.upper; }

class MjcfWriter {
 public:
  MjcfWriter(const Arm& arm, const std::vector<MjcfDrive>& drives) : arm_(arm), drives_(drives) {}

  std::string write() {
    const ArmDescription& description = arm_.description();
    out_ = fmt::format("<mujoco model=\"{}\">\n", markup_escaped(arm_.name()));
    if (const auto left = left_out_of_mjcf(arm_); !left.empty()) {
      std::string text = fmt::format("Not said here: {}.", fmt::join(left, "; "));
      for (std::size_t i = 0; (i = text.find("--", i)) != std::string::npos;) text[i + 1] = ' ';
      out_ += fmt::format("  <!-- {} -->\n", text);
    }
    out_ += "  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n";
    out_ += fmt::format("  <option gravity=\"{}\"/>\n  <worldbody>\n", words(arm_.gravity()));
    for (const Shape& shape : description.base_shapes.visual) write_shape(shape, pose_of(description.base), "    ");
    write_shapes(-1, "    ");
    for (int i = 0; i < arm_.dof(); ++i) open_body(i);
    out_ += fmt::format("{}<site name=\"tool\" {}/>\n", indent(arm_.dof()), pose_words(arm_.X_BT()));
    for (int i = arm_.dof(); i-- > 0;) out_ += indent(i) + "</body>\n";
    out_ += "  </worldbody>\n";
    write_motors();
    return out_ + "</mujoco>\n";
  }

 private:
  static std::string indent(int depth) { return std::string(4 + 2 * static_cast<std::size_t>(depth), ' '); }

  void open_body(int i) {
    const Body& body = arm_.body(i);
    const JointDescription& joint = arm_.joint(i);
    const std::string inner = indent(i + 1);
    out_ +=
        fmt::format("{}<body name=\"{}\" {}>\n", indent(i), markup_escaped(joint.link.name), pose_words(body.X_PB0));
    write_inertial(body.inertia, joint.link.name, inner);
    const MjcfDrive& drive = drives_[i];
    const CoulombViscous friction = plain_friction(joint.friction).law;
    out_ += fmt::format("{}<joint name=\"{}\" type=\"{}\" axis=\"0 0 1\"", inner, markup_escaped(joint.name),
                        body.revolute ? "hinge" : "slide");
    if (has_range(joint.limits))
      out_ += fmt::format(" limited=\"true\" range=\"{}\"", words(*joint.limits.lower, *joint.limits.upper));
    const auto add = [&](const char* key, double value) {
      if (value != 0) out_ += fmt::format(" {}=\"{}\"", key, exact_text(value));
    };
    add("armature", drive.armature);
    add("damping", friction.viscous + drive.friction.viscous);
    add("frictionloss", friction.coulomb + drive.friction.coulomb);
    if (joint.spring && joint.spring->stiffness.value_or(-1) >= 0) {
      add("stiffness", *joint.spring->stiffness);
      add("springref", joint.spring->rest.value_or(0));
    }
    out_ += "/>\n";
    write_shapes(i, inner);
  }

  /// Principal moments and axes: from a full tensor MuJoCo's compiler keeps seven digits.
  void write_inertial(const Inertia<double>& inertia, const std::string& link, const std::string& inner) {
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> solver(central_inertia(inertia));
    Vec3<double> moments = solver.eigenvalues();  // increasing
    if (inertia.m < least_inertia || moments[0] < least_inertia)
      throw ModelError(fmt::format("link '{}' has no mass, or no thickness", printable(link)),
                       "MuJoCo moves bodies with mass and three moments of inertia: `armature check ARM --repair -o "
                       "FILE` gives the link the nearest such body");
    const double excess = moments[2] - moments[0] - moments[1];
    if (excess > 1e-9 * moments[2])
      throw ModelError(fmt::format("link '{}' has moments of inertia that no body has", printable(link)),
                       "`armature check ARM --repair -o FILE` writes the nearest arm that MuJoCo takes");
    while (moments[2] > moments[0] + moments[1]) moments[2] = std::nextafter(moments[0] + moments[1], 0);  // rounding
    Mat3<double> axes = solver.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) *= -1;
    out_ += fmt::format("{}<inertial {} mass=\"{}\" diaginertia=\"{}\"/>\n", inner,
                        pose_words({axes, inertia.h / inertia.m}), exact_text(inertia.m), words(moments));
  }

  /// Looks of the links that this body carries; they touch nothing and weigh nothing.
  void write_shapes(int body, const std::string& inner) {
    const ArmDescription& description = arm_.description();
    for (std::size_t j = 0; j < description.joints.size(); ++j)
      if (arm_.frames()[j].body == body)
        for (const Shape& shape : description.joints[j].link.shapes.visual)
          write_shape(shape, arm_.frames()[j].X_BF, inner);
  }
  void write_shape(const Shape& shape, const Pose<double>& X_BL, const std::string& inner) {
    const char* types[]{"box", "cylinder", "sphere"};
    const Vec3<double>& size = shape.size;
    const bool box = shape.kind == Shape::Kind::box, cylinder = shape.kind == Shape::Kind::cylinder;
    if (shape.kind == Shape::Kind::mesh || !(box ? size.minCoeff() > 0 : size[0] > 0 && (!cylinder || size[1] > 0)))
      return;
    out_ += fmt::format("{}<geom type=\"{}\" size=\"{}\" {} contype=\"0\" conaffinity=\"0\" group=\"2\"", inner,
                        types[static_cast<int>(shape.kind)],
                        box        ? words(Vec3<double>(size / 2))
                        : cylinder ? words(size[0], size[1] / 2)
                                   : words(size[0]),
                        pose_words(X_BL * pose_of(shape.place)));
    if (shape.colour) {
      const auto& c = *shape.colour;
      out_ += fmt::format(" rgba=\"{}\"", words(c[0], c[1], c[2], c[3]));
    }
    out_ += "/>\n";
  }

  void write_motors() {
    out_ += "  <actuator>\n";
    for (int i = 0; i < arm_.dof(); ++i) {
      const JointDescription& joint = arm_.joint(i);
      const std::string name = markup_escaped(joint.name);
      out_ += fmt::format("    <motor name=\"{}\" joint=\"{}\"", name, name);
      if (const auto& torque = joint.limits.torque)
        out_ += fmt::format(" ctrllimited=\"true\" ctrlrange=\"{}\"", words(-*torque, *torque));
      out_ += "/>\n";
    }
    out_ += "  </actuator>\n";
  }

  const Arm& arm_;
  const std::vector<MjcfDrive>& drives_;
  std::string out_;
};

}  // namespace

std::string write_mjcf(const Arm& arm, const std::vector<MjcfDrive>& drives) {
  if (!arm.unphysical().empty())
    throw ModelError(fmt::format("arm '{}' is unphysical: {}", printable(arm.name()), printable(arm.unphysical())),
                     "MuJoCo refuses it; `armature check ARM --repair -o FILE` writes the nearest arm that can exist");
  return MjcfWriter(arm, drives).write();
}

std::vector<std::string> left_out_of_mjcf(const Arm& arm) {
  std::set<std::string> seen;
  std::vector<std::string> left;
  const auto say = [&](const std::string& what) {
    if (!what.empty() && seen.insert(what).second) left.push_back(what);
  };
  const auto meshes = [&](const LinkShapes& shapes) {
    if (std::any_of(shapes.visual.begin(), shapes.visual.end(),
                    [](const Shape& s) { return s.kind == Shape::Kind::mesh; }))
      say("meshes");
    if (!shapes.collision.empty()) say("collision shapes");
  };
  meshes(arm.description().base_shapes);
  for (const JointDescription& joint : arm.description().joints) {
    meshes(joint.link.shapes);
    if (joint.flexible) say("how links bend and twist");
  }
  for (int i = 0; i < arm.dof(); ++i) {
    const JointDescription& joint = arm.joint(i);
    say(plain_friction(joint.friction).left_out);
    if (joint.spring && joint.spring->stiffness.value_or(-1) < 0) say("springs that are not linear");
    if (joint.limits.velocity) say("velocity limits");
    if (joint.limits.acceleration) say("acceleration limits");
    if (joint.limits.lower.has_value() != joint.limits.upper.has_value()) say("position limits on one side");
    if (joint.limits.lower && joint.limits.upper && !has_range(joint.limits)) say("position limits that leave no room");
    Drive rest = joint.drive;
    rest.gear_ratio.reset();
    rest.rotor_inertia.reset();
    rest.tachometer_inertia.reset();
    rest.gear_inertia.reset();
    rest.rotor_coulomb.reset();
    rest.rotor_viscous.reset();
    rest.source.clear();
    if (!(rest == Drive{})) say("motor circuits and transmissions");
  }
  if (arm.description().couplings) say("couplings between the motors: armature holds their diagonal");
  return left;
}

}  // namespace armature::formats
