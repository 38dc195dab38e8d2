#include <algorithm>
#include <cmath>

#include "arm_text.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"

namespace armature::app {

namespace {

/// Distance of the tool from the z axis of body 0, about or along which the first joint moves.
double distance_from_first_axis(const Arm& arm, const VecX<double>& q) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
  const Vec3<double> p = poses.X_WB[0].inverse() * tool_pose(arm, poses).p;
  return std::hypot(p[0], p[1]);
}

}  // namespace

std::optional<double> reach(const Arm& arm) {
  VecX<double> lower(arm.dof()), upper(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) {
    const Limits& limits = arm.joint(i).limits;
    if (!arm.body(i).revolute && !(limits.lower && limits.upper)) return std::nullopt;
    lower[i] = limits.lower.value_or(-pi);
    upper[i] = limits.upper.value_or(pi);
  }
  Random random(1);
  double farthest = 0;
  for (int start = 0; start < 40; ++start) {
    VecX<double> q(arm.dof());
    for (int i = 0; i < arm.dof(); ++i) q[i] = random.uniform(lower[i], upper[i]);
    double distance = distance_from_first_axis(arm, q);
    for (double step = 0.25; step > 1e-7;) {  // pattern search; a step is a part of the joint's range
      const double before = distance;
      for (int i = 0; i < arm.dof(); ++i)
        for (const double sign : {step, -step}) {
          VecX<double> next = q;
          next[i] = std::clamp(q[i] + sign * (upper[i] - lower[i]), lower[i], upper[i]);
          const double d = distance_from_first_axis(arm, next);
          if (d > distance) {
            distance = d;
            q = next;
          }
        }
      if (distance <= before + 1e-12) step /= 2;
    }
    farthest = std::max(farthest, distance);
  }
  return farthest;
}

}  // namespace armature::app
