// Arms from Denavit–Hartenberg tables, in one call.
#pragma once

#include <string>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature::model {

/// A DH row with what moves: the shortest way to an arm from C++.
struct DhLink {
  std::string name;
  JointType type = JointType::revolute;
  double theta = 0, d = 0, a = 0, alpha = 0;  // [rad] [m] [m] [rad]
  Inertia<double> inertia;                    // in the link frame (standard DH: the distal one), about its origin
};

/// Throws ModelError; the arm is const for life.
Arm arm_from_dh(std::string name, const std::vector<DhLink>& links, DhConvention convention = DhConvention::standard,
                const Vec3<double>& gravity = {0, 0, -9.80665});

/// Where frames lie around a joint. X_PB0: joint frame in the parent's link frame at q = 0, its z the joint's axis;
/// X_BL: the joint's link frame in the joint frame.
struct JointFrames {
  Pose<double> X_PB0, X_BL;
};
JointFrames joint_frames(const JointDescription& joint, DhConvention convention);

}  // namespace armature::model
