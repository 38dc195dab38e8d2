#include "armature/simulation/scene.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "armature/spatial/rotation.hpp"

namespace armature {

namespace {

std::array<double, 3> array_of(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }

std::array<double, 4> array_of(const Mat3<double>& R) {
  const Quaternion q = quaternion_from_rotation(R);
  return {q[0], q[1], q[2], q[3]};
}

void place(SceneFrame& frame, const Pose<double>& X) { frame.position = array_of(X.p), frame.turn = array_of(X.R); }

}  // namespace

InertiaEllipsoid inertia_ellipsoid(const Inertia<double>& inertia) {
  InertiaEllipsoid ellipsoid;
  if (!(inertia.m > 0)) return ellipsoid;
  const Eigen::SelfAdjointEigenSolver<Mat3<double>> solver(central_inertia<double>(inertia));
  const Vec3<double> I = solver.eigenvalues();
  ellipsoid.centre = inertia.h / inertia.m;
  for (int i = 0; i < 3; ++i) ellipsoid.axes[i] = std::sqrt(std::max(0.0, 2.5 / inertia.m * (I.sum() - 2 * I[i])));
  ellipsoid.turn = solver.eigenvectors();
  if (ellipsoid.turn.determinant() < 0) ellipsoid.turn.col(2) *= -1;
  return ellipsoid;
}

void add_scene(Log& log, const Arm& arm, const std::string& position) {
  log.scene.clear();
  log.scene.push_back({.name = "base"});
  for (int i = 0; i < arm.dof(); ++i) {
    const Body& body = arm.body(i);
    SceneFrame frame{.name = arm.joint(i).name, .parent = i};
    place(frame, body.X_PB0);
    frame.joint = position + std::to_string(i + 1);
    if (log.has(frame.joint + "_ref")) frame.reference = frame.joint + "_ref";
    frame.slides = !body.revolute;
    const InertiaEllipsoid ellipsoid = inertia_ellipsoid(body.inertia);
    frame.ellipsoid_centre = array_of(ellipsoid.centre), frame.ellipsoid_axes = array_of(ellipsoid.axes);
    frame.ellipsoid_turn = array_of(ellipsoid.turn);
    log.scene.push_back(frame);
  }
  SceneFrame tool{.name = "tool", .parent = arm.dof()};
  place(tool, arm.X_BT());
  log.scene.push_back(tool);
  if (log.has("force_x") && log.has("force_y") && log.has("force_z"))
    log.arrows = {{"contact force", arm.dof() + 1, {"force_x", "force_y", "force_z"}}};
}

}  // namespace armature
