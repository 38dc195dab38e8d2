// Where closed-form inverse kinematics has no solution, infinitely many, or solutions beyond the limits; and arms that
// fit a family only roughly, or not at all.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/ik_arms.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

DhLink link(const char* name, double d, double a, double alpha, JointType type = JointType::revolute) {
  return {name, type, 0, d, a, alpha, {1, {0, 0, 0}, Mat3<double>::Identity()}};
}

/// Shoulder and elbow in the plane of the column: it can touch its own first axis.
Arm lean_rrr(double a2, double a3) {
  return arm_from_dh("lean", {link("a", 0.5, 0, pi / 2), link("b", 0, a2, 0), link("c", 0, a3, 0)});
}

Pose<double> pose_at(const Arm& arm, const VecX<double>& q) {
  return tool_pose(arm, forward_kinematics<double>(arm, q));
}

VecX<double> joints(std::initializer_list<double> values) {
  VecX<double> q(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), q.data());
  return q;
}

/// Of the task's Jacobian.
double smallest_singular_value(const Arm& arm, const IkFamily& family, const VecX<double>& q) {
  const Mat6X<double> J = tool_jacobian(arm, forward_kinematics<double>(arm, q));
  const Eigen::MatrixXd task = J.topRows(family.position_only() ? 3 : 6);
  return singular_values(task).minCoeff();
}

/// `joint` is free at q: whatever value it is to have, there is a solution with it.
void check_free(const Arm& arm, const VecX<double>& q, int joint) {
  CAPTURE(arm.name());
  const auto family = closed_form_family(arm);
  REQUIRE(family);
  const Pose<double> target = pose_at(arm, q);
  Random random(joint + 1);
  for (int k = 0; k < 50; ++k) {
    const VecX<double> near = k == 0 ? VecX<double>::Zero(arm.dof()) : random_vector(arm.dof(), random, 3);
    const IkSolutions solutions = closed_form_ik(arm, *family, target, near);
    CHECK(solutions.reach == IkReach::singular);
    int free = 0;
    for (const IkSolution& s : solutions) {
      if (!s.free.test(static_cast<std::size_t>(joint))) continue;
      ++free;
      CHECK(std::abs(std::remainder(s.q[joint] - near[joint], 2 * pi)) < 1e-12);
      const IkError error = ik_error(arm, s.q, target, family->position_only() ? IkTask::position : IkTask::pose);
      CHECK(error.position < 1e-9);
      CHECK(error.angle < 1e-9);
    }
    CHECK(free > 0);
  }
}

}  // namespace

TEST_CASE("where infinitely many solutions exist the free joint is named and takes the value it is given") {
  const double fold = std::acos(-0.3 / 0.4);
  check_free(lean_rrr(0.3, 0.4), joints({0.7, 0, fold}), 0);                 // the tool above the shoulder, on axis 1
  check_free(lean_rrr(0.3, 0.3), joints({0.7, 0.4, pi}), 1);                 // the tool in the shoulder
  check_free(ik_arm("planar3r"), joints({0.3, pi, -0.4}), 0);                // the wrist in the shoulder
  check_free(ik_arm("puma560"), joints({0.1, 0.5, -0.9, 0.4, 0, -1.3}), 5);  // stretched wrist
  check_free(ik_arm("wrist_offset"), joints({0.1, 0.5, -0.9, 0.4, 0, -1.3}), 5);
  check_free(ik_arm("puma560"), joints({0.1, 0.5, -0.9, 0.4, pi, -1.3}), 5);  // folded wrist
  check_free(ik_arm("ur5"), joints({0.1, -0.5, 0.9, 0.4, 0, -1.3}), 5);       // axis 6 parallel to axes 2, 3, 4
  check_free(ik_arm("ur10"), joints({0.1, -0.5, 0.9, 0.4, pi, -1.3}), 5);

  // An arm whose slide crosses axis 1 reaches that axis when drawn in.
  const Arm rpr = arm_from_dh(
      "rpr", {link("a", 0.3, 0.1, -pi / 2), link("b", 0, 0, 0, JointType::prismatic), link("c", 0, 0.25, 0)});
  check_free(rpr, joints({0.3, 0, std::acos(-0.1 / 0.25)}), 0);
}

TEST_CASE(
    "right-angled postures, where singularities meet, and postures next to them are never taken for unreachable") {
  Random random(29);
  const std::array<double, 4> corners{0, pi / 2, -pi / 2, pi};
  const std::array<double, 4> aside{0, 1e-11, 1e-8, 1e-5};
  for (const IkArm& member : ik_arms()) {
    const Arm& arm = member.arm;
    CAPTURE(arm.name());
    const IkFamily family = *closed_form_family(arm);
    const IkTask task = family.position_only() ? IkTask::position : IkTask::pose;
    double worst_error = 0, worst_distance = 0;
    int unreachable = 0;
    for (int k = 0; k < 2000; ++k) {
      VecX<double> q(arm.dof());
      for (double& x : q) {
        x = random.uniform() < 0.7 ? corners[random.bits() % 4] : random.uniform(-3, 3);
        x += aside[random.bits() % 4] * random.normal();
      }
      const Pose<double> target = pose_at(arm, q);
      const IkSolutions solutions = closed_form_ik(arm, family, target, q);
      unreachable += solutions.size() == 0;
      double nearest = 10;
      for (const IkSolution& s : solutions) {
        const IkError error = ik_error(arm, s.q, target, task);
        const double size = std::max(1.0, target.p.cwiseAbs().maxCoeff());
        worst_error = std::max({worst_error, error.position / size, error.angle});
        nearest = std::min(nearest, joint_distance(arm, s.q, q));
      }
      if (smallest_singular_value(arm, family, q) > 1e-6) worst_distance = std::max(worst_distance, nearest);
    }
    CHECK(unreachable == 0);
    CHECK(worst_error < 1e-9);
    CHECK(worst_distance < 1e-8);
  }
}

TEST_CASE("at the edge of the workspace branches fall together and count once") {
  const Arm rrr = ik_arm("rrr");
  const IkSolutions stretched = closed_form_ik(rrr, pose_at(rrr, joints({0.3, 0.9, 0})));
  CHECK(stretched.reach == IkReach::solved);
  CHECK(stretched.size() == 2);  // shoulder forwards and backwards
  const Arm planar = ik_arm("planar3r");
  CHECK(closed_form_ik(planar, pose_at(planar, joints({0.3, 0, 0.5}))).size() == 1);
}

TEST_CASE("a target out of reach is told as such, with how far it is") {
  const Arm lean = lean_rrr(0.5, 0.3);
  const Vec3<double> shoulder(0, 0, 0.5), direction = Vec3<double>(1, 2, -0.5).normalized();
  for (const auto& [distance, miss] : {std::pair{1.1, 0.3}, std::pair{0.05, 0.15}}) {  // beyond 0.8 m, within 0.2 m
    const IkSolutions none = closed_form_ik(lean, {Mat3<double>::Identity(), shoulder + distance * direction});
    CHECK(none.reach == IkReach::unreachable);
    CHECK(none.size() == 0);
    CHECK(none.nearest.error.position == doctest::Approx(miss).epsilon(1e-12));
  }

  const Arm planar = ik_arm("planar3r");
  const Pose<double> flat = pose_at(planar, joints({0.3, 0.8, -0.4}));
  const IkSolutions above = closed_form_ik(planar, {flat.R, flat.p + Vec3<double>(0, 0, 0.3)});
  CHECK(above.reach == IkReach::unreachable);
  CHECK(above.nearest.error.position == doctest::Approx(0.3));
  const IkSolutions tilted = closed_form_ik(planar, {flat.R * rotation_x(0.2), flat.p});
  CHECK(tilted.reach == IkReach::unreachable);
  CHECK(tilted.nearest.error.angle == doctest::Approx(0.2));

  for (const IkArm& member : ik_arms()) {
    CAPTURE(member.arm.name());
    const bool slides = member.family == "RPR";  // reaches as far as its slide, but only in a slab
    const Vec3<double> far = slides ? Vec3<double>(5, 0, 0) : Vec3<double>(3, 2, 1);
    const Pose<double> target{Mat3<double>::Identity(),
                              member.arm.name() == "rpr_offset" ? Vec3<double>(0, 0, 5) : far};
    CHECK(closed_form_ik(member.arm, target).reach == IkReach::unreachable);
    const double nan = std::nan("");
    const IkSolutions nowhere = closed_form_ik(member.arm, {Mat3<double>::Identity(), Vec3<double>(nan, 0, 0)});
    CHECK(nowhere.reach == IkReach::unreachable);
    CHECK(nowhere.nearest.q.allFinite());
    CHECK(std::isinf(nowhere.nearest.error.position));
  }
}

TEST_CASE("joints come wrapped into their limits where a whole turn does it, and the rest is marked") {
  ArmDescription limited = ik_arm("planar3r").description();
  limited.joints[0].limits.lower = 1 * pi;
  limited.joints[0].limits.upper = 3 * pi;  // a whole turn, elsewhere
  limited.joints[1].limits.lower = 0.;
  limited.joints[1].limits.upper = 2.5;  // the elbow bends one way
  const Arm arm(limited);
  Random random(31);
  for (int k = 0; k < 100; ++k) {
    const Pose<double> target = pose_at(arm, random_vector(3, random, 2.4));
    const IkSolutions solutions = closed_form_ik(arm, target);
    REQUIRE(solutions.size() == 2);
    for (const IkSolution& s : solutions) {
      CHECK(s.q[0] >= 1 * pi);
      CHECK(s.q[0] <= 3 * pi);
      CHECK(s.within_limits == (s.q[1] >= 0));
      CHECK(std::abs(s.q[2]) <= pi);
    }
    CHECK(solutions[0].within_limits != solutions[1].within_limits);
  }
}

TEST_CASE("solutions come by whole turns next to where the arm is") {
  const Arm arm = ik_arm("ur5");
  Random random(32);
  const VecX<double> near = random_vector(6, random, 20);
  for (const IkSolution& s : closed_form_ik(arm, pose_at(arm, near), near))
    CHECK((s.q - near).cwiseAbs().maxCoeff() <= pi + 1e-12);
}

TEST_CASE("an arm whose right angles were typed with few digits still gets its solutions, to full accuracy") {
  Random random(33);
  for (const std::string_view name : {"ur5", "puma560", "rrr", "rpr"})
    for (const double off : {1.8e-9, 3.7e-6}) {  // 1.570796325 and 1.5708 for pi/2
      ArmDescription rough = ik_arm(name).description();
      for (JointDescription& joint : rough.joints) {
        auto& row = std::get<DhRow>(joint.placement);
        if (row.alpha != 0) row.alpha += off;
      }
      const Arm arm(rough);
      const auto family = closed_form_family(arm);
      REQUIRE(family);
      CHECK_FALSE(family->exact());
      CHECK(family->misfit == doctest::Approx(off).epsilon(0.5));
      for (int k = 0; k < 300; ++k) {
        const VecX<double> q = random_vector(arm.dof(), random, 3);
        if (smallest_singular_value(arm, *family, q) < 1e-3) continue;
        const IkSolutions solutions = closed_form_ik(arm, *family, pose_at(arm, q));
        CHECK(solutions.reach == IkReach::solved);
        double nearest = 10;
        for (const IkSolution& s : solutions) nearest = std::min(nearest, joint_distance(arm, s.q, q));
        CHECK(nearest < 1e-6);
      }
    }
}

TEST_CASE("no family is seen where there is none") {
  Random random(34);
  for (int dof = 1; dof <= 9; ++dof)
    for (int i = 0; i < 20; ++i) {
      ArmDescription skew = random_arm(dof, random).description();
      for (JointDescription& joint : skew.joints)
        joint.placement = OriginAxis{{random_pose(random).p, random_pose(random).p}, random_pose(random).R.col(2)};
      CHECK_FALSE(closed_form_family(Arm(skew)));
    }
  for (const IkArm& member : ik_arms()) {  // a thousandth of a radian off, in the last twist that matters
    CAPTURE(member.arm.name());
    ArmDescription bent = member.arm.description();
    std::get<DhRow>(bent.joints[bent.joints.size() - 2].placement).alpha += 1e-3;
    CHECK_FALSE(closed_form_family(Arm(bent)));
    CHECK(closed_form_ik(Arm(bent), {}).reach == IkReach::no_closed_form);
  }
}
