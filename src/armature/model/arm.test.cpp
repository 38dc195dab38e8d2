#include "armature/model/arm.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::model;

namespace {

Inertia<double> ball(double m) { return inertia_about_com<double>(m, {0, 0, 0}, Mat3<double>::Identity() * 0.01 * m); }

JointDescription revolute(const std::string& name, const DhRow& row) {
  JointDescription joint;
  joint.name = name;
  joint.placement = row;
  joint.link.name = name + "_link";
  joint.link.mass = MassProperties{.mass = 1, .tensor = Mat3<double>::Identity() * 0.01};
  return joint;
}

ArmDescription two_joints() {
  ArmDescription arm;
  arm.name = "two";
  arm.joints = {revolute("a", {.a = 0.5}), revolute("b", {.a = 0.25})};
  return arm;
}

/// Pose of the last link's frame at q, multiplied out from the chain.
Pose<double> tip(const Arm& arm, const std::vector<double>& q) {
  Pose<double> X;
  for (int i = 0; i < arm.dof(); ++i) {
    const Body& body = arm.body(i);
    const double qi = q[i];
    const Pose<double> motion =
        body.revolute ? Pose<double>{rotation_z(qi), {0, 0, 0}} : Pose<double>{Mat3<double>::Identity(), {0, 0, qi}};
    X = X * body.X_PB0 * motion;
  }
  return X * arm.body(arm.dof() - 1).X_BL;
}

/// The homogeneous matrix of a standard DH row, written out as in the books.
Eigen::Matrix4d dh_matrix(double theta, double d, double a, double alpha) {
  Eigen::Matrix4d T;
  T << std::cos(theta), -std::sin(theta) * std::cos(alpha), std::sin(theta) * std::sin(alpha), a * std::cos(theta),  //
      std::sin(theta), std::cos(theta) * std::cos(alpha), -std::cos(theta) * std::sin(alpha), a * std::sin(theta),   //
      0, std::sin(alpha), std::cos(alpha), d, 0, 0, 0, 1;
  return T;
}

/// The same for a modified row [Craig2005, (3.6)].
Eigen::Matrix4d modified_dh_matrix(double theta, double d, double a, double alpha) {
  Eigen::Matrix4d T;
  T << std::cos(theta), -std::sin(theta), 0, a,                                                                      //
      std::sin(theta) * std::cos(alpha), std::cos(theta) * std::cos(alpha), -std::sin(alpha), -std::sin(alpha) * d,  //
      std::sin(theta) * std::sin(alpha), std::cos(theta) * std::sin(alpha), std::cos(alpha), std::cos(alpha) * d,    //
      0, 0, 0, 1;
  return T;
}

}  // namespace

TEST_CASE("a DH table gives the product of its matrices, in both conventions") {
  const std::vector<double> q{0.3, -0.2, 1.1};
  const std::vector<DhLink> rows{{.name = "j1", .theta = 0.1, .d = 0.5, .a = 0.2, .alpha = 0.4, .inertia = ball(1)},
                                 {.name = "j2",
                                  .type = JointType::prismatic,
                                  .theta = 0.7,
                                  .d = 0.3,
                                  .a = -0.1,
                                  .alpha = -1.2,
                                  .inertia = ball(1)},
                                 {.name = "j3", .theta = -0.4, .d = 0.05, .a = 0.3, .alpha = 2.0, .inertia = ball(1)}};
  for (const DhConvention convention : {DhConvention::standard, DhConvention::modified}) {
    Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool slides = rows[i].type == JointType::prismatic;
      const double theta = rows[i].theta + (slides ? 0 : q[i]), d = rows[i].d + (slides ? q[i] : 0);
      T = T * (convention == DhConvention::standard ? dh_matrix(theta, d, rows[i].a, rows[i].alpha)
                                                    : modified_dh_matrix(theta, d, rows[i].a, rows[i].alpha));
    }
    const Pose<double> X = tip(arm_from_dh("three", rows, convention), q);
    CHECK((X.R - T.topLeftCorner<3, 3>()).norm() < 1e-14);
    CHECK((X.p - T.topRightCorner<3, 1>()).norm() < 1e-14);
  }
}

TEST_CASE("an origin and an axis mean what they mean in URDF") {
  ArmDescription description;
  description.name = "urdf";
  JointDescription joint = revolute("a", {});
  const Vec3<double> axis = Vec3<double>(1, 2, -2) / 3;
  joint.placement = OriginAxis{{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, axis};
  description.joints = {joint};
  const Arm arm(description);
  const Pose<double> X = tip(arm, {0.7});
  CHECK((X.R - rotation_from_rpy({0.4, 0.5, 0.6}) * exp_map(axis * 0.7)).norm() < 1e-14);
  CHECK((X.p - Vec3<double>(0.1, 0.2, 0.3)).norm() < 1e-15);
}

TEST_CASE("a link behind a fixed joint and a payload are welded to the body before them") {
  ArmDescription description = two_joints();
  JointDescription flange = revolute("flange", {.d = 0.1});
  flange.type = JointType::fixed;
  description.joints.push_back(flange);
  description.tool.xyz = {0, 0, 0.05};
  description.payload = MassProperties{.mass = 2, .tensor = Mat3<double>::Identity() * 0.02};
  const Arm arm(description);
  CHECK(arm.dof() == 2);
  CHECK(arm.frames().size() == 3);
  CHECK(arm.body(1).inertia.m == 1 + 1 + 2);
  CHECK((arm.X_BT().p - Vec3<double>(0.25, 0, 0.15)).norm() < 1e-15);
  CHECK((arm.body(1).inertia.h - Vec3<double>(0.25 * 4, 0, 0.1 + 0.15 * 2)).norm() < 1e-15);
}

TEST_CASE("each kind of nonsense is refused with a place and a hint") {
  const auto refused = [](auto spoil, const char* message) {
    ArmDescription description = two_joints();
    spoil(description);
    CHECK_THROWS_WITH_AS(Arm{description}, message, ModelError);
  };
  refused(
      [](ArmDescription& d) { d.joints[1].link.mass->tensor.diagonal() = Vec3<double>(0.02, 0.03, 0.1); },
      "link 'b_link': principal moments 0.02, 0.03, 0.1 kg m² about its centre of mass break the triangle inequality\n"
      "  hint: is the inertia given about the joint instead of the centre of mass?");
  refused([](ArmDescription& d) { d.joints[1].link.mass.reset(); },
          "link 'b_link': moves with joint 'b' but has mass 0 kg\n  hint: give it mass and inertia, or make the joint "
          "fixed");
  refused([](ArmDescription& d) { d.joints[1].name = "a"; },
          "arm 'two': two joints are called 'a'\n  hint: names must differ");
  refused([](ArmDescription& d) { d.joints.clear(); },
          "arm 'two': has no moving joint\n  hint: an arm needs at least one revolute or prismatic joint");
  refused(
      [](ArmDescription& d) {
        d.joints[0].limits.lower = 1;
        d.joints[0].limits.upper = -1;
      },
      "joint 'a', limits: lower 1 is above upper -1\n  hint: swap them");
  refused(
      [](ArmDescription& d) {
        d.joints[0].placement = OriginAxis{{}, {0, 0, 2}};
      },
      "joint 'a': its axis has length 2\n  hint: an axis is a unit vector");
  refused([](ArmDescription& d) { d.joints[0].placement = DhRow{.a = std::nan("")}; },
          "joint 'a': its DH row is not finite\n  hint: write finite numbers");
  refused(
      [](ArmDescription& d) {
        d.joints[0].friction = CoulombViscous{-1, 0};
      },
      "joint 'a', friction: coulomb is -1\n  hint: friction takes energy: it cannot be negative");
  refused([](ArmDescription& d) { d.couplings = Eigen::MatrixXd::Zero(2, 2); },
          "couplings: the matrix cannot be inverted\n  hint: every joint needs a motor that moves it");
}

TEST_CASE("unphysical inertia is carried when the description says why, and the reason is repeated") {
  ArmDescription description = two_joints();
  description.joints[1].link.mass->tensor.diagonal() = Vec3<double>(0.02, 0.03, 0.1);
  description.unphysical = "as printed";
  CHECK_NOTHROW(Arm{description});
  const auto found = findings(description);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Finding::Severity::warning);
  CHECK(found[0].hint == "accepted in an arm that is marked as unphysical");
}

TEST_CASE("a LuGre law that can create energy is a warning, with the viscous friction that cures it") {
  ArmDescription arm = two_joints();
  arm.joints[1].friction = LuGre{.sigma0 = 1e3, .sigma1 = 5, .sigma2 = 2.4, .coulomb = 0.2, .stiction = 0.3};
  const auto about_energy = [&] {
    std::vector<std::string> found;
    for (const Finding& finding : findings(arm))
      if (finding.finding.find("create energy") != std::string::npos) found.push_back(finding.finding);
    return found;
  };
  REQUIRE(about_energy().size() == 1);
  CHECK(about_energy()[0] == "the LuGre law can create energy: sigma2 is 2.4, 2.5 is needed");
  std::get<LuGre>(arm.joints[1].friction).sigma2 = 2.5;
  CHECK(about_energy().empty());
}
