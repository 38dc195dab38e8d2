#include "armature/algorithms/analytical_jacobian.hpp"

#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

constexpr EulerConvention conventions[] = {EulerConvention::zyz, EulerConvention::rpy};

Mat3<double> rate_matrix(EulerConvention convention, const Vec3<double>& angles) {
  return convention == EulerConvention::zyz ? zyz_rate_matrix<double>(angles) : rpy_rate_matrix<double>(angles);
}

/// Three joints about the fixed z, then y, then z or x: their angles are the tool's Euler angles.
Arm wrist(EulerConvention convention) {
  ArmDescription arm;
  arm.name = "wrist";
  const Vec3<double> last = convention == EulerConvention::zyz ? Vec3<double>::UnitZ() : Vec3<double>::UnitX();
  const Vec3<double> axes[] = {Vec3<double>::UnitZ(), Vec3<double>::UnitY(), last};
  for (const Vec3<double>& axis : axes) {
    JointDescription joint;
    joint.name = "j" + std::to_string(arm.joints.size());
    joint.placement = OriginAxis{{}, axis};
    joint.link.name = "l" + std::to_string(arm.joints.size());
    joint.link.mass = MassProperties{.mass = 1, .tensor = Mat3<double>::Identity()};
    arm.joints.push_back(joint);
  }
  return Arm(arm);
}

}  // namespace

TEST_CASE("the analytical Jacobian is the derivative of position and angles, its rate that of the Jacobian") {
  for (const auto& [arm, q, qd, qdd] : samples())
    for (const EulerConvention convention : conventions) {
      CAPTURE(arm.name());
      const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
      const LinkPoses<Dual> moving = forward_kinematics<Dual>(arm, with_slope(q, qd));
      const AnalyticalJacobian<double> here = analytical_jacobian<double>(arm, poses, convention);
      const AnalyticalJacobian<Dual> along = analytical_jacobian<Dual>(arm, moving, convention);
      if (here.singular) continue;
      CHECK(relative_error(here.J * qd, slope_of(along.x)) < 1e-11);
      const AnalyticalJacobianRate<double> rate = analytical_jacobian_rate<double>(arm, poses, qd, convention);
      CHECK_FALSE(rate.singular);
      CHECK(relative_error(rate.Jd, slope_of(along.J)) < 1e-11);
    }
}

TEST_CASE("only planar arms about the vertical are always singular in ZYZ, and no sample is in RPY") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    CHECK_FALSE(analytical_jacobian<double>(arm, poses, EulerConvention::rpy).singular);
    CHECK(analytical_jacobian<double>(arm, poses, EulerConvention::zyz).singular == (arm.name() == "planar3r"));
  }
}

TEST_CASE("angles and rates are those of spatial/rotation.hpp: the rate matrix turns them into angular velocity") {
  for (const auto& [arm, q, qd, qdd] : samples())
    for (const EulerConvention convention : conventions) {
      const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
      const Mat6X<double> J = tool_jacobian(arm, poses);
      const AnalyticalJacobian<double> here = analytical_jacobian<double>(arm, poses, convention);
      const Mat3<double> R_WT = tool_pose(arm, poses).R;
      const EulerAngles expected =
          convention == EulerConvention::zyz ? zyz_from_rotation(R_WT) : rpy_from_rotation(R_WT);
      CHECK(here.singular == expected.singular);
      const Vec3<double> angles = here.x.tail<3>();
      CHECK(angles == expected.angles);
      const Mat3<double> R = convention == EulerConvention::zyz ? rotation_from_zyz(angles) : rotation_from_rpy(angles);
      CHECK((R - R_WT).norm() < 1e-13);
      if (!here.singular)
        CHECK(relative_error(rate_matrix(convention, angles) * here.J.bottomRows<3>(), J.bottomRows<3>()) < 1e-12);
      CHECK(here.J.topRows<3>() == J.topRows<3>());
    }
}

TEST_CASE("a wrist of the same axes has the identity as its Jacobian, up to the singularity, which is reported") {
  for (const EulerConvention convention : conventions) {
    const bool zyz = convention == EulerConvention::zyz;
    const Arm arm = wrist(convention);
    const double regular = zyz ? pi / 2 : 0.0;
    VecX<double> qd(3);
    qd << 0.3, -0.7, 1.1;
    for (const double off : {0.0, 0.4, 1.5, pi / 2 - 1e-6, -pi / 2 + 1e-6}) {
      VecX<double> q(3);
      q << 0.3, regular + off, -1.1;
      const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
      const auto found = analytical_jacobian<double>(arm, poses, convention);
      CHECK_FALSE(found.singular);
      CHECK(found.distance == doctest::Approx(std::cos(off)).epsilon(1e-9));
      const Vec3<double> rates = found.J.bottomRows<3>() * qd;
      const Vec3<double> expected = zyz ? Vec3<double>(qd) : Vec3<double>(qd.reverse());
      CHECK((rates - expected).norm() < 1e-15 / std::cos(off) + 1e-14);
    }
    for (const double off : {pi / 2, -pi / 2}) {
      VecX<double> q(3);
      q << 0.3, regular + off, -1.1;
      const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
      const auto found = analytical_jacobian<double>(arm, poses, convention);
      const auto rate = analytical_jacobian_rate<double>(arm, poses, qd, convention);
      CHECK(found.singular);
      CHECK(rate.singular);
      CHECK(found.distance < 1e-10);
      CHECK(found.x.allFinite());
      CHECK(found.J.bottomRows<3>().isZero(0));
      CHECK(rate.Jd.bottomRows<3>().isZero(0));
      CHECK(found.J.topRows<3>() == tool_jacobian(arm, poses).topRows<3>());
    }
  }
}
