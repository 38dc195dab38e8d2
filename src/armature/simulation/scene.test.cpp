#include "armature/simulation/scene.hpp"

#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::simulation;

namespace {

/// The pose of the last frame, walked along the scene as a page does.
Pose<double> last_pose(const Log& log) {
  std::vector<Pose<double>> poses;
  for (const SceneFrame& frame : log.scene) {
    Pose<double> X;
    X.R = rotation_from_quaternion({frame.turn[0], frame.turn[1], frame.turn[2], frame.turn[3]});
    X.p = {frame.position[0], frame.position[1], frame.position[2]};
    if (!frame.joint.empty()) {
      const double q = log.channel(frame.joint).values[0];
      X = X *
          (frame.slides ? Pose<double>{Mat3<double>::Identity(), {0, 0, q}} : Pose<double>{rotation_z(q), {0, 0, 0}});
    }
    poses.push_back(frame.parent < 0 ? X : poses[frame.parent] * X);
  }
  return poses.back();
}

}  // namespace

TEST_CASE("the last frame of every arm's scene is where forward kinematics puts the tool") {
  Random random(7);
  for (const std::string& name : formats::catalogue_names()) {
    CAPTURE(name);
    const Arm arm = catalogue_arm(name);
    Log log;
    log.time = {0};
    VecX<double> q(arm.dof());
    for (int i = 0; i < arm.dof(); ++i) {
      q[i] = random.uniform(-3, 3);
      log.add("q" + std::to_string(i + 1), "rad").values = {q[i]};
    }
    add_scene(log, arm);
    const Pose<double> drawn = last_pose(log), meant = tool_pose(arm, forward_kinematics<double>(arm, q));
    CHECK((drawn.p - meant.p).norm() < 1e-12);
    CHECK((drawn.R - meant.R).norm() < 1e-12);
  }
}

TEST_CASE("the ellipsoid of inertia has the body's mass, centre and tensor") {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const double m = random.uniform(0.1, 20);
    Vec3<double> half, centre;
    for (int i = 0; i < 3; ++i) {
      half[i] = random.uniform(0.01, 1);
      centre[i] = random.uniform(-1, 1);
    }
    const Mat3<double> R = exp_map({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
    const Vec3<double> s = half.cwiseAbs2() * (m / 5);  // of a uniform ellipsoid
    const Mat3<double> tensor = R * Vec3<double>(s[1] + s[2], s[0] + s[2], s[0] + s[1]).asDiagonal() * R.transpose();
    const InertiaEllipsoid found = inertia_ellipsoid(inertia_about_com<double>(m, centre, tensor));
    CHECK((found.centre - centre).norm() < 1e-10);
    const Mat3<double> shape = found.turn * found.axes.cwiseAbs2().asDiagonal() * found.turn.transpose();
    CHECK((shape - R * half.cwiseAbs2().asDiagonal() * R.transpose()).norm() < 1e-8);
    CHECK(found.turn.determinant() == doctest::Approx(1));
  }
}

TEST_CASE("shapes stand on the body that carries their link, and a payload is a ball at its centre") {
  ArmDescription description = catalogue_arm("ur5e").description();
  description.base_shapes.visual = {{.kind = Shape::Kind::sphere, .size = {0.1, 0, 0}}};
  description.joints[2].link.shapes.visual = {{.size = {0.1, 0.2, 0.3}, .place = {{0, 0, 0.5}, {0, 0, 0}}}};
  MassProperties payload;
  payload.mass = 2.7;
  payload.position = {0, 0, 0.08};
  description.payload = payload;
  const Arm arm(description);
  Log log;
  add_scene(log, arm);
  REQUIRE(log.scene.size() == 8);
  REQUIRE(log.scene[0].shapes.size() == 1);
  REQUIRE(log.scene[3].shapes.size() == 1);
  const SceneShape& box = log.scene[3].shapes[0];
  CHECK(box.size == std::array{0.1, 0.2, 0.3});
  const Vec3<double> centre = arm.frames()[2].X_BF * Vec3<double>(0, 0, 0.5);  // DH: the link's frame is not the body's
  for (std::size_t k = 0; k < 3; ++k) CHECK(box.position[k] == doctest::Approx(centre[k]));
  REQUIRE(log.scene[7].shapes.size() == 1);
  const SceneShape& ball = log.scene[7].shapes[0];
  CHECK(ball.position[2] == doctest::Approx(0.08));
  CHECK(4 * pi / 3 * std::pow(ball.size[0], 3) == doctest::Approx(1e-3));  // a litre of aluminium
}

TEST_CASE("the arm's limits are those of the channels that are in its units") {
  const Arm arm = catalogue_arm("ur5e");
  Log log;
  log.time = {0};
  log.add("q1", "rad").values = {0};
  log.add("q2", "deg").values = {0};  // a measured log in another unit: no limit of the arm's
  log.add("tau3", "N m").values = {0};
  add_scene(log, arm);
  REQUIRE(log.limits.size() == 4);
  for (const ChannelLimit& limit : log.limits) {
    CAPTURE(limit.channel);
    const Limits& of_arm = arm.joint(limit.channel == "q1" ? 0 : 2).limits;
    const double upper = limit.channel == "q1" ? *of_arm.upper : *of_arm.torque,
                 lower = limit.channel == "q1" ? *of_arm.lower : -*of_arm.torque;
    CHECK(limit.value == (limit.upper ? upper : lower));
  }
}
