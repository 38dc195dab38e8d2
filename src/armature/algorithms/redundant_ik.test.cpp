// Inverse kinematics of seven-axis arms: at the redundancy of any posture that posture is among the solutions, and all of them reach.
#include "armature/algorithms/redundant_ik.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "armature/algorithms/jacobian.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/ik_arms.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

constexpr double right = pi / 2;

/// Seven revolute joints, from d, a and alpha of each.
Arm seven_axes(const char* name, const std::array<std::array<double, 3>, 7>& rows) {
  std::vector<DhLink> links;
  for (const auto& [d, a, alpha] : rows)
    links.push_back({fmt::format("joint {}", links.size() + 1),
                     JointType::revolute,
                     0,
                     d,
                     a,
                     alpha,
                     {1, {0, 0, 0}, Mat3<double>::Identity()}});
  return arm_from_dh(name, links);
}

/// `offset` parts axis 2 from axis 1: none on the machine itself.
Arm iiwa(double offset = 0) {
  return seven_axes("iiwa", {{{0.36, offset, -right},
                              {0, 0, right},
                              {0.42, 0, right},
                              {0, 0, -right},
                              {0.4, 0, -right},
                              {0, 0, right},
                              {0.126, 0, 0}}});
}
/// `offset` parts axis 7 from the wrist: 0.088 m on the machine itself.
Arm panda_like(double offset) {
  return seven_axes("panda", {{{0.333, 0, -right},
                               {0, 0, right},
                               {0.316, 0.0825, right},
                               {0, -0.0825, -right},
                               {0.384, 0, right},
                               {0, offset, right},
                               {0.107, 0, 0}}});
}
/// No two axes of the shoulder or of the wrist at a right angle.
Arm oblique(double offset) {
  return seven_axes("oblique", {{{0.3, 0, -1.2},
                                 {0, 0, 1.4},
                                 {0.35, 0.05, 1.3},
                                 {0.02, -0.07, -1.5},
                                 {0.38, 0, 1.25},
                                 {0, offset, 1.1},
                                 {0.1, 0.03, 0}}});
}

Pose<double> tool_at(const Arm& arm, const VecX<double>& q) {
  return tool_pose(arm, forward_kinematics<double>(arm, q));
}

/// Smallest singular value of tool motion and redundancy together: zero where solutions fall together or are not isolated.
double isolation(const Arm& arm, const RedundantFamily& family, const VecX<double>& q) {
  Eigen::MatrixXd all(7, 7);
  all.topRows(6) = tool_jacobian(arm, forward_kinematics<double>(arm, q));
  for (int i = 0; i < 7; ++i) {
    constexpr double h = 1e-6;
    VecX<double> more = q, less = q;
    more[i] += h;
    less[i] -= h;
    all(6, i) = std::remainder(redundancy_at(family, more) - redundancy_at(family, less), 2 * pi) / (2 * h);
  }
  return singular_values(all).minCoeff();
}

void check_family(const Arm& arm, bool spherical_wrist, Random& random) {
  CAPTURE(arm.name());
  const auto family = redundant_family(arm);
  REQUIRE(family);
  CHECK(family->spherical_wrist == spherical_wrist);
  CHECK(family->misfit < 1e-12);
  std::set<int> branches;
  int most = 0, isolated = 0;
  for (int k = 0; k < 2000; ++k) {
    const VecX<double> q = random_vector(7, random, pi);
    const Pose<double> target = tool_at(arm, q);
    const double redundancy = redundancy_at(*family, q);
    const IkSolutions solutions = redundant_ik(arm, *family, target, redundancy);
    if (isolation(arm, *family, q) < 1e-3) continue;
    ++isolated;
    REQUIRE(solutions.size() > 0);
    most = std::max(most, solutions.size());
    double nearest = 10;
    for (const IkSolution& s : solutions) {
      const double distance = joint_distance(arm, s.q, q);
      if (distance < nearest) nearest = distance;
      if (distance < 1e-6) branches.insert(s.branch);
      const Pose<double> X = tool_at(arm, s.q);
      CHECK((X.p - target.p).norm() < 1e-9);
      CHECK((X.R - target.R).norm() < 2e-9);
      CHECK(std::abs(std::remainder(redundancy_at(*family, s.q) - redundancy, 2 * pi)) < 1e-6);
    }
    CHECK(nearest < 1e-6);
  }
  CHECK(isolated > 1800);
  CHECK(most == 8);
  CHECK(branches.size() == 8);  // every branch is some posture's own
}

}  // namespace

TEST_CASE("the solutions at a posture's redundancy reach its pose, and the posture is one of them") {
  Random random(7);
  check_family(iiwa(), true, random);
  check_family(panda_like(0), true, random);
  check_family(panda_like(0.088), false, random);
  check_family(oblique(0), true, random);
  check_family(oblique(0.06), false, random);
  for (const double offset : {0.0, 0.088}) check_family(retold(panda_like(offset), random), offset == 0, random);
}

TEST_CASE("the arm angle turns the elbow about the line from shoulder to wrist and leaves the tool where it is") {
  const Arm arm = iiwa();
  const RedundantFamily family = redundant_family(arm).value();
  VecX<double> q(7);
  q << 0.3, 0.7, -0.4, -1.1, 0.5, 0.9, -0.2;
  const Pose<double> target = tool_at(arm, q);
  const auto elbow = [&](const VecX<double>& at) { return forward_kinematics<double>(arm, at).X_WB[3].p; };
  const Vec3<double> shoulder(0, 0, 0.36), wrist = forward_kinematics<double>(arm, q).X_WB[5].p;
  const Vec3<double> line = (wrist - shoulder).normalized();
  const double start = redundancy_at(family, q);
  for (const double turned : {0.3, 1.0, -2.0}) {
    const IkSolutions solutions = redundant_ik(arm, family, target, start + turned, q);
    REQUIRE(solutions.size() == 8);
    const Vec3<double> from = elbow(q) - shoulder;
    const Vec3<double> expected = shoulder + Eigen::AngleAxisd(turned, line) * from;
    const auto there = [&](const IkSolution& s) { return (elbow(s.q) - expected).norm() < 1e-9; };
    CHECK(std::count_if(solutions.begin(), solutions.end(), there) ==
          4);  // the other four bend the elbow the other way
  }
}

TEST_CASE("a target beyond the stretched arm is unreachable, and the nearest posture points at it") {
  const Arm arm = iiwa();
  const RedundantFamily family = redundant_family(arm).value();
  Pose<double> far;
  far.p = {2, 0.5, 0.36};
  const IkSolutions none = redundant_ik(arm, family, far, 0.2);
  CHECK(none.reach == IkReach::unreachable);
  CHECK(none.nearest.error.position > 0.5);
  CHECK(none.nearest.q.allFinite());
  far.p[0] = std::nan("");
  CHECK(redundant_ik(arm, family, far, 0.2).size() == 0);
}

TEST_CASE("stretched and folded wrists and shoulders name the joint that is free") {
  const Arm arm = iiwa();
  const RedundantFamily family = redundant_family(arm).value();
  VecX<double> q(7);
  q << 0.3, 0.7, -0.4, -1.1, 0.5, 0, -0.2;  // axes 5 and 7 on one line
  const IkSolutions wrist = redundant_ik(arm, family, tool_at(arm, q), redundancy_at(family, q), q);
  CHECK(wrist.reach == IkReach::singular);
  CHECK(
      std::any_of(wrist.begin(), wrist.end(), [&](const IkSolution& s) { return joint_distance(arm, s.q, q) < 1e-6; }));
}

TEST_CASE("arms of other kinds have no such family") {
  CHECK_FALSE(redundant_family(ik_arm("puma560")));
  CHECK_FALSE(redundant_family(iiwa(0.1)));
}
