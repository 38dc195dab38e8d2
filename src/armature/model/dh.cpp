#include "armature/model/dh.hpp"

#include <utility>

#include "armature/spatial/rotation.hpp"

namespace armature::model {

namespace {

Pose<double> turn_x(double angle) { return {rotation_x(angle), Vec3<double>::Zero()}; }
Pose<double> turn_z(double angle) { return {rotation_z(angle), Vec3<double>::Zero()}; }
Pose<double> shift(double x, double z) { return {Mat3<double>::Identity(), Vec3<double>(x, 0, z)}; }

//  standard:  T = Rz(theta) Tz(d) Tx(a) Rx(alpha), joint about the old z   [Siciliano2009, (2.52)]
//  modified:  T = Rx(alpha) Tx(a) Rz(theta) Tz(d), joint about the new z   [Craig2005, (3.6)]
JointFrames frames_of(const DhRow& row, JointType type, DhConvention convention) {
  const Pose<double> screw_z = turn_z(row.theta) * shift(0, row.d);
  const Pose<double> screw_x = shift(row.a, 0) * turn_x(row.alpha);
  if (convention == DhConvention::modified) return {screw_x * screw_z, {}};
  if (type == JointType::prismatic) return {screw_z, screw_x};
  return {turn_z(row.theta), shift(0, row.d) * screw_x};  // the link starts at the joint's axis
}

JointFrames frames_of(const OriginAxis& placement, JointType type) {
  const Pose<double> X_PJ = pose_of(placement.origin);
  if (type == JointType::fixed) return {X_PJ, {}};
  const Pose<double> X_JB{rotation_from_z_to(placement.axis), Vec3<double>::Zero()};
  return {X_PJ * X_JB, X_JB.inverse()};
}

}  // namespace

JointFrames joint_frames(const JointDescription& joint, DhConvention convention) {
  if (const auto* row = std::get_if<DhRow>(&joint.placement)) return frames_of(*row, joint.type, convention);
  return frames_of(std::get<OriginAxis>(joint.placement), joint.type);
}

Arm arm_from_dh(std::string name, const std::vector<DhLink>& links, DhConvention convention,
                const Vec3<double>& gravity) {
  ArmDescription description;
  description.name = std::move(name);
  description.convention = convention;
  description.gravity = gravity;
  for (const DhLink& link : links) {
    JointDescription joint;
    joint.name = link.name;
    joint.type = link.type;
    joint.placement = DhRow{link.theta, link.d, link.a, link.alpha};
    joint.link.name = link.name + "_link";
    joint.link.mass = MassProperties{link.inertia.m, link.inertia.h, true, link.inertia.I_Bo, true, {}};
    description.joints.push_back(std::move(joint));
  }
  return Arm(std::move(description));
}

}  // namespace armature::model
