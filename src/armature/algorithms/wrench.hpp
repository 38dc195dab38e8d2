// Forces from outside, acting on the bodies.
#pragma once

#include "armature/algorithms/forward_kinematics.hpp"

namespace armature::algorithms {

/// A force and a moment on a body, in its frame B and about its origin.
template <Scalar S>
struct BodyWrench {
  int body = 0;
  Vec3<S> f;   // [N]
  Vec3<S> mu;  // [N m]
};

/// The same, given in world axes at a point of the world.
template <Scalar S>
BodyWrench<S> wrench_on_body(const LinkPoses<S>& poses, int body, const Vec3<S>& point_W, const Vec3<S>& force_W,
                             const Vec3<S>& moment_W) {
  const Pose<S>& X = poses.X_WB[body];
  const Vec3<S> r = point_W - X.p;
  const Vec3<S> about_origin(moment_W[0] + r[1] * force_W[2] - r[2] * force_W[1],
                             moment_W[1] + r[2] * force_W[0] - r[0] * force_W[2],
                             moment_W[2] + r[0] * force_W[1] - r[1] * force_W[0]);
  return {body, Vec3<S>(X.R.transpose() * force_W), Vec3<S>(X.R.transpose() * about_origin)};
}

}  // namespace armature::algorithms
