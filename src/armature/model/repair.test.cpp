#include "armature/model/repair.hpp"

#include <Eigen/Eigenvalues>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/model/arm.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::model;

namespace {

Mat3<double> turned_tensor(const Vec3<double>& moments, Random& random) {
  const Mat3<double> R = rotation_from_rpy(Vec3<double>(random.uniform(), random.uniform(), random.uniform()));
  return R * moments.asDiagonal() * R.transpose();
}

/// Whether a body of this mass and thickness has the tensor: all spreads are above the floor.
bool is_body(double mass, const Mat3<double>& tensor, double thickness, double slack) {
  const Mat3<double> spread = 0.5 * tensor.trace() * Mat3<double>::Identity() - tensor;
  const Vec3<double> sigma = Eigen::SelfAdjointEigenSolver<Mat3<double>>(spread).eigenvalues();
  return sigma[0] >= mass * thickness * thickness - slack;
}

ArmDescription two_links(const std::optional<MassProperties>& first, const std::optional<MassProperties>& last) {
  ArmDescription arm;
  arm.name = "two";
  for (const auto& mass : {first, last}) {
    JointDescription joint;
    joint.name = "j" + std::to_string(arm.joints.size());
    joint.placement = OriginAxis{};
    joint.link = {"l" + std::to_string(arm.joints.size()), mass};
    arm.joints.push_back(joint);
  }
  return arm;
}

}  // namespace

TEST_CASE("the nearest tensor is one that a body has, and none that a body has is nearer") {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const double mass = 0.1 + 3 * random.uniform(), thickness = 1e-3;
    const Mat3<double> wanted = turned_tensor(
        Vec3<double>(random.uniform() - 0.3, random.uniform() - 0.3, 2 * random.uniform() - 0.3) * 0.01, random);
    const Mat3<double> found = nearest_tensor(mass, wanted, thickness);
    CHECK(is_body(mass, found, thickness, 1e-12));
    if (is_body(mass, wanted, thickness, 0)) CHECK((found - wanted).norm() < 1e-15);
    // the set of bodies is convex: whatever body there is, the way to it from the nearest one leads away from `wanted`
    for (int k = 0; k < 20; ++k) {
      const Vec3<double> sigma = Vec3<double>(random.uniform(), random.uniform(), random.uniform()) * 0.01 +
                                 Vec3<double>::Constant(mass * thickness * thickness);
      const Mat3<double> other = turned_tensor(Vec3<double>::Constant(sigma.sum()) - sigma, random);
      CHECK((found - wanted).cwiseProduct(other - found).sum() >= -1e-15);
    }
  }
}

TEST_CASE("repaired arms can exist; what could before is left alone") {
  MassProperties sound, broken;
  sound.mass = broken.mass = 2;
  sound.position = broken.position = Vec3<double>(0.1, 0, 0.2);
  sound.tensor = Vec3<double>(0.02, 0.02, 0.02).asDiagonal();
  broken.tensor = Vec3<double>(0.01, 0.02, 0.05).asDiagonal();
  ArmDescription arm = two_links(sound, broken);
  CHECK_THROWS_AS(Arm{arm}, ModelError);
  const std::vector<BodyRepair> repairs = repair_bodies(arm);
  REQUIRE(repairs.size() == 1);
  CHECK(repairs[0].link == "l1");
  CHECK(arm.joints[0].link.mass == sound);
  CHECK(arm.joints[1].link.mass->mass == 2);
  CHECK(arm.joints[1].link.mass->position == broken.position);
  CHECK_NOTHROW(Arm{arm});
  CHECK(repair_bodies(arm).empty());

  ArmDescription light = two_links(sound, std::nullopt);
  light.unphysical = "no mass at the end";
  const std::vector<BodyRepair> balls = repair_bodies(light);
  REQUIRE(balls.size() == 1);
  CHECK(balls[0].stand_in);
  CHECK(light.joints[1].link.mass->mass == doctest::Approx(0.02));
  CHECK_NOTHROW(Arm{light});
}
