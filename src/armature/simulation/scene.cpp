#include "armature/simulation/scene.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>

#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::simulation {

namespace {

std::array<double, 3> array_of(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }

std::array<double, 4> array_of(const Mat3<double>& R) {
  const Quaternion q = quaternion_from_rotation(R);
  return {q[0], q[1], q[2], q[3]};
}

void place(auto& drawn, const Pose<double>& X) {
  drawn.position = array_of(X.p);
  drawn.turn = array_of(X.R);
}

SceneShape scene_shape(const Shape& shape, const Pose<double>& X_BL) {
  SceneShape drawn{.kind = static_cast<SceneShape::Kind>(shape.kind), .size = array_of(shape.size)};
  place(drawn, X_BL * pose_of(shape.place));
  drawn.colour = shape.colour.value_or(drawn.colour);
  drawn.mesh = shape.mesh;
  drawn.folder = shape.folder;
  return drawn;
}

/// A payload, whose shape nobody knows, as a ball of its mass about its centre.
SceneShape ball(const MassProperties& payload) {
  constexpr double density = 2700;  // [kg/m³] aluminium
  const Inertia<double> inertia = inertia_of(payload);
  SceneShape shape{.kind = SceneShape::Kind::sphere, .colour = {0.85, 0.55, 0.1, 1}};
  shape.size = {std::cbrt(inertia.m / density / (4 * pi / 3)), 0, 0};
  shape.position = array_of(Vec3<double>(inertia.h / inertia.m));
  return shape;
}

/// What the links look like, each on the frame of the body that carries it.
void add_shapes(Log& log, const Arm& arm) {
  const ArmDescription& description = arm.description();
  for (const Shape& shape : description.base_shapes.visual)
    log.scene[0].shapes.push_back(scene_shape(shape, pose_of(description.base)));
  for (std::size_t i = 0; i < description.joints.size(); ++i) {
    const Frame& frame = arm.frames()[i];
    for (const Shape& shape : description.joints[i].link.shapes.visual)
      log.scene[frame.body + 1].shapes.push_back(scene_shape(shape, frame.X_BF));
  }
  if (description.payload && description.payload->mass > 0)
    log.scene.back().shapes.push_back(ball(*description.payload));
}

/// Limits of the arm for the channels that the log has in the arm's units.
void add_limits(Log& log, const Arm& arm, const std::string& position) {
  log.limits.clear();
  for (int i = 0; i < arm.dof(); ++i) {
    const Limits& limits = arm.joint(i).limits;
    const std::string number = std::to_string(i + 1), angle = arm.body(i).revolute ? "rad" : "m";
    const auto add = [&](const std::string& name, const std::string& unit, std::optional<double> value, bool upper) {
      if (value && log.has(name) && log.channel(name).unit == unit) log.limits.push_back({name, *value, upper});
    };
    const auto add_both = [&](const std::string& name, const std::string& unit, std::optional<double> size) {
      add(name, unit, size, true);
      if (size) add(name, unit, -*size, false);
    };
    add(position + number, angle, limits.lower, false);
    add(position + number, angle, limits.upper, true);
    add_both("v" + number, angle + "/s", limits.velocity);
    add_both("tau" + number, arm.body(i).revolute ? "N m" : "N", limits.torque);
  }
}

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
    frame.ellipsoid_centre = array_of(ellipsoid.centre);
    frame.ellipsoid_axes = array_of(ellipsoid.axes);
    frame.ellipsoid_turn = array_of(ellipsoid.turn);
    log.scene.push_back(frame);
  }
  SceneFrame tool{.name = "tool", .parent = arm.dof()};
  place(tool, arm.X_BT());
  log.scene.push_back(tool);
  if (arm.as_described()) add_shapes(log, arm);
  add_limits(log, arm, position);
  if (log.has("force_x") && log.has("force_y") && log.has("force_z"))
    log.arrows = {{"contact force", arm.dof() + 1, {"force_x", "force_y", "force_z"}}};
}

}  // namespace armature::simulation
