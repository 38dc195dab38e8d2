// What a page needs to draw the moving arm.
#pragma once

#include "armature/model/arm.hpp"
#include "armature/record/log.hpp"

namespace armature::simulation {

/// Describes the arm in the log's scene: base, one frame per joint, tool, each with the ellipsoid of its body's inertia. The
/// joints follow the channels `position`1, `position`2, ... and, where the log has them, the reference `position`1_ref, ...
/// A force recorded at the tool (force_x, force_y, force_z) becomes an arrow. The arm's limits of position, velocity (v1, ...) and torque (tau1, ...)
/// become limits of those channels.
void add_scene(Log& log, const Arm& arm, const std::string& position = "q");

/// The uniform ellipsoid with this mass and this inertia about its centre: half lengths² = 5/(2m) (I_j + I_k - I_i). An axis
/// that no body has (it would be imaginary) is zero.
struct InertiaEllipsoid {
  Vec3<double> centre = Vec3<double>::Zero();  // [m]
  Vec3<double> axes = Vec3<double>::Zero();    // half lengths [m]
  Mat3<double> turn = Mat3<double>::Identity();
};
InertiaEllipsoid inertia_ellipsoid(const Inertia<double>& inertia);

}  // namespace armature::simulation
