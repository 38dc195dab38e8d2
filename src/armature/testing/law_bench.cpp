#include "armature/testing/law_bench.hpp"

#include "armature/algorithms/jacobian.hpp"

namespace armature::testing {

Reference standing_at(const Arm& arm, const VecX<double>& q) {
  return moving_at(arm, q, VecX<double>::Zero(q.size()), VecX<double>::Zero(q.size()));
}

Reference moving_at(const Arm& arm, const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd) {
  Reference r{q, qd, qdd};
  const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
  const Mat6X<double> J = tool_jacobian<double>(arm, poses), Jd = tool_jacobian_rate<double>(arm, poses, qd);
  r.X_WT = tool_pose<double>(arm, poses);
  r.twist = J * qd;
  r.acceleration = J * qdd + Jd * qd;
  return r;
}

MovingArm::Wrench elastic_wall(const Vec3<double>& normal, double rest, double stiffness) {
  return [=](double, const Pose<double>& X_WT, const Vec6<double>&) {
    Vec6<double> w = Vec6<double>::Zero();
    const double depth = normal.dot(X_WT.p) - rest;
    if (depth > 0) w.head<3>() = -stiffness * depth * normal;
    return w;
  };
}

Arm scaled_masses(const Arm& arm, double factor) {
  ArmDescription description = arm.description();
  for (JointDescription& joint : description.joints)
    if (joint.link.mass) {
      joint.link.mass->mass *= factor;
      joint.link.mass->tensor *= factor;
      if (joint.link.mass->position_is_first_moment) joint.link.mass->position *= factor;
    }
  return Arm(std::move(description));
}

}  // namespace armature::testing
