#include "armature/model/flexible.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/model/dh.hpp"
#include "armature/numerics/quadrature.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::model {

namespace {

constexpr int default_segments = 3;  // the first mode of a clamped beam within 0.05 %, the second within 9 %

MassProperties as_described(const Inertia<double>& inertia) {
  return {inertia.m, inertia.h, true, inertia.I_Bo, true, {}};
}

Inertia<double> less(const Inertia<double>& a, const Inertia<double>& b) {
  return {a.m - b.m, a.h - b.h, a.I_Bo - b.I_Bo};
}

Placement placement_of(const Pose<double>& pose) { return {pose.p, rpy_from_rotation(pose.R).angles}; }

/// Appends the pieces of one flexible link.
class Expansion {
 public:
  explicit Expansion(const ArmDescription& arm) : arm_(arm) {
    result_.description = arm;
    result_.description.joints.clear();
    result_.description.couplings.reset();
    result_.description.unphysical = "its flexible links have frames without mass between their elastic joints";
    for (const JointDescription& joint : arm.joints) dof_ += joint.type != JointType::fixed;
  }
  ElasticArm run() {
    for (const JointDescription& joint : arm_.joints) joint.flexible ? add_flexible(joint) : add(joint, joint.type);
    if (result_.joint.size() > max_joints)
      throw ModelError(fmt::format("arm '{}' has {} joints and its flexible links bend and twist at {} more",
                                   printable(arm_.name), dof_, result_.elastic.size()),
                       fmt::format("at most {} in all: fewer `segments`, `bending_y` or `bending_z` alone in place of "
                                   "`bending`, or plant.flexible_links: false",
                                   max_joints));
    return std::move(result_);
  }

 private:
  void add(JointDescription joint, JointType type) {
    joint.type = type;
    joint.flexible.reset();
    if (type != JointType::fixed) result_.joint.push_back(moving_++);
    result_.description.joints.push_back(std::move(joint));
  }

  void add_frame(const std::string& name, const Pose<double>& place, const std::optional<MassProperties>& mass,
                 std::string link) {
    JointDescription joint;
    joint.name = name;
    joint.type = JointType::fixed;
    joint.placement = OriginAxis{placement_of(place), Vec3<double>::UnitZ()};
    joint.link.name = std::move(link);
    joint.link.mass = mass;
    result_.description.joints.push_back(std::move(joint));
  }

  void add_elastic(const std::string& name, const Vec3<double>& place, const Vec3<double>& axis,
                   const std::optional<MassProperties>& mass) {
    JointDescription joint;
    joint.name = name;
    joint.placement = OriginAxis{{place, Vec3<double>::Zero()}, axis};
    joint.link.name = name + "_piece";
    joint.link.mass = mass;
    result_.description.joints.push_back(std::move(joint));
  }

  void add_flexible(const JointDescription& joint) {
    const Beam beam = beam_of(joint, arm_.convention);
    const Quadrature points = gauss_legendre(beam.segments);
    const auto start = as_described(beam.inertia(0, points.at.front()));
    if (joint.type == JointType::fixed) {
      add_frame(joint.name, {}, start, joint.link.name + "_start");
    } else {
      JointDescription root = joint;
      root.placement = OriginAxis{placement_of(joint_frames(joint, arm_.convention).X_PB0), Vec3<double>::UnitZ()};
      root.link = {joint.link.name + "_start", start};
      add(std::move(root), joint.type);
    }
    Vec3<double> here = Vec3<double>::Zero();
    for (std::size_t i = 0; i < points.at.size(); ++i) {
      const Vec3<double> point = points.at[i] * beam.length * beam.along;
      const double to = i + 1 < points.at.size() ? points.at[i + 1] : 1;
      const Pose<double> from_point{Mat3<double>::Identity(), -point};
      for (const BeamFlexibility& way : beam.ways) {
        const bool last = &way == &beam.ways.back();
        const std::string name = fmt::format("{}_{}{}", joint.link.name, way.name, i + 1);
        const double stiffness = way.rigidity / (points.weight[i] * beam.length);
        result_.joint.push_back(dof_ + static_cast<int>(result_.elastic.size()));
        result_.elastic.push_back({name, stiffness, way.damping * stiffness});
        add_elastic(
            name, point - here, way.axis,
            last ? std::optional(as_described(seen_from(from_point, beam.inertia(points.at[i], to)))) : std::nullopt);
        here = point;
      }
    }
    const Inertia<double> whole = joint.link.mass ? inertia_of(*joint.link.mass) : Inertia<double>{};
    const Inertia<double> rest = less(whole, seen_from(beam.X_SE.inverse(), beam.inertia(0, 1)));
    add_frame(joint.name + "_end", {beam.X_SE.R, beam.X_SE.p - here}, as_described(rest), joint.link.name);
  }

  const ArmDescription& arm_;
  ElasticArm result_;
  int dof_ = 0, moving_ = 0;
};

}  // namespace

Inertia<double> Beam::inertia(double from, double to) const {
  const double share = to - from, m = share * mass, axial = share * axial_inertia;
  const double across =
      m * std::pow(share * length, 2) / 12 + axial / 2;  // a thin section: half its polar moment each way
  const Mat3<double> ee = along * along.transpose();
  return inertia_about_com<double>(m, along * ((from + to) / 2 * length),
                                   axial * ee + across * (Mat3<double>::Identity() - ee));
}

double bending_stiffness(double rigidity, double length) { return 3 * rigidity / (length * length * length); }
double torsional_stiffness(double rigidity, double length) { return rigidity / length; }

Beam beam_of(const JointDescription& joint, DhConvention convention) {
  const FlexibleLink& link = *joint.flexible;
  const JointFrames frames = joint_frames(joint, convention);
  Beam beam;
  beam.X_SE = joint.type == JointType::fixed ? frames.X_PB0 * frames.X_BL : frames.X_BL;
  beam.length = beam.X_SE.p.norm();
  if (beam.length > 0) beam.along = beam.X_SE.p / beam.length;
  beam.mass = link.mass ? *link.mass : link.mass_per_length.value_or(0) * beam.length;
  beam.axial_inertia = link.axial_inertia.value_or(0);
  beam.segments = static_cast<int>(link.segments.value_or(default_segments));
  const auto add = [&](const std::string& name, const Vec3<double>& axis, const Flexibility& f, auto stiffness_of) {
    const double unit = stiffness_of(1.0, beam.length);  // the stiffness is proportional to the rigidity
    const double rigidity = f.rigidity ? *f.rigidity : f.stiffness.value_or(0) / unit;
    beam.ways.push_back({name, axis, rigidity, f.damping.value_or(0) / (rigidity * unit)});
  };
  // To bend towards t, the beam along e turns about e × t.
  const auto bend = [&](const std::string& name, const Vec3<double>& towards, const Flexibility& f) {
    add(name, beam.along.cross(towards).normalized(), f, bending_stiffness);
  };
  const std::optional<Flexibility>* const axes[] = {&link.bending_x, &link.bending_y, &link.bending_z};
  for (int k = 0; k < 3; ++k) {
    const char* names[] = {"bend_x", "bend_y", "bend_z"};
    if (*axes[k]) bend(names[k], beam.X_SE.R.col(k), **axes[k]);
  }
  if (link.bending) {
    const Mat3<double> across = rotation_from_z_to(beam.along);
    bend("bend_1", across.col(0), *link.bending);
    bend("bend_2", across.col(1), *link.bending);
  }
  if (link.torsion) add("twist", beam.along, *link.torsion, torsional_stiffness);
  return beam;
}

bool has_flexible_links(const ArmDescription& description) {
  return std::any_of(description.joints.begin(), description.joints.end(),
                     [](const JointDescription& joint) { return joint.flexible.has_value(); });
}

ElasticArm with_elastic_joints(const ArmDescription& description) { return Expansion(description).run(); }

}  // namespace armature::model
