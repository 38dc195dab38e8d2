// Closed-form inverse kinematics, family by family: every branch is a solution, and no solution is missed.
#include "armature/algorithms/closed_form_ik.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "armature/algorithms/jacobian.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/ik_arms.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

struct Sweep {
  double worst_error = 0;     // of any solution's position [m] and angle [rad]
  double worst_distance = 0;  // from q to the nearest solution, times the smallest singular value of the Jacobian there
  int unsolved = 0;
  int largest_count = 0;
};
Sweep sweep(const Arm& arm, int samples, Random& random) {
  const auto family = closed_form_family(arm);
  REQUIRE(family);
  Sweep s;
  for (int k = 0; k < samples; ++k) {
    const VecX<double> q = random_vector(arm.dof(), random, pi);
    const Pose<double> target = tool_pose(arm, forward_kinematics<double>(arm, q));
    const IkSolutions solutions = closed_form_ik(arm, *family, target);
    s.unsolved += solutions.reach != IkReach::solved;
    s.largest_count = std::max(s.largest_count, solutions.size());
    double nearest = 10;
    for (const IkSolution& solution : solutions) {
      const Pose<double> X = tool_pose(arm, forward_kinematics<double>(arm, solution.q));
      const double turn = family->position_only() ? 0 : log_map(X.R * target.R.transpose()).norm();
      s.worst_error = std::max({s.worst_error, (X.p - target.p).norm(), turn});
      nearest = std::min(nearest, joint_distance(arm, solution.q, q));
    }
    const Mat6X<double> J = tool_jacobian(arm, forward_kinematics<double>(arm, q));
    const Eigen::MatrixXd task = J.topRows(family->position_only() ? 3 : 6);
    s.worst_distance = std::max(s.worst_distance, nearest * singular_values(task).minCoeff());
  }
  return s;
}

}  // namespace

TEST_CASE("all branches reproduce the pose of 20 000 random joint positions, and one of them is the position itself") {
  Random random(20);
  for (const auto& [arm, family, branches] : ik_arms()) {
    CAPTURE(arm.name());
    const auto found = closed_form_family(arm);
    REQUIRE(found);
    CHECK(found->name() == family);
    CHECK(found->branches() == branches);
    CHECK(found->exact());
    const Sweep s = sweep(arm, 20000, random);
    CHECK(s.worst_error < 1e-9);
    CHECK(s.worst_distance < 1e-14);
    CHECK(s.unsolved == 0);
    CHECK(s.largest_count == branches);
  }
}

TEST_CASE("a family is recognized in any notation, base, zero posture and tool") {
  Random random(21);
  for (const auto& [arm, family, branches] : ik_arms())
    for (int i = 0; i < 50; ++i) {
      const Arm other = retold(arm, random);
      CAPTURE(other.name());
      const auto found = closed_form_family(other);
      REQUIRE(found);
      CHECK(found->name() == family);
      CHECK(found->exact());
      const Sweep s = sweep(other, 100, random);
      CHECK(s.worst_error < 1e-9);
      CHECK(s.worst_distance < 1e-14);
      CHECK(s.unsolved == 0);
    }
}

TEST_CASE("the built-in arms of a family have closed forms, and within their limits a solution for what they reach") {
  const std::map<std::string, std::string_view> families{
      {"rrr", "RRR"},
      {"rrr_generic", "RRR"},
      {"planar3r", "planar 3R"},
      {"rpr", "RPR"},
      {"puma560", "6R with a spherical wrist"},
      {"tx40", "6R with a spherical wrist"},
      {"ur5", "6R with three parallel axes"},
      {"ur5e", "6R with three parallel axes"},
      {"ur10", "6R with three parallel axes"},
  };
  Random random(22);
  for (const auto& [name, family] : families) {
    CAPTURE(name);
    const Arm arm = built_in_arm(name);
    const auto found = closed_form_family(arm);
    REQUIRE(found);
    CHECK(found->name() == family);
    CHECK(found->exact());
    for (int k = 0; k < 500; ++k) {
      VecX<double> q(arm.dof());
      for (int i = 0; i < arm.dof(); ++i) {
        const Limits& limits = arm.joint(i).limits;
        q[i] = random.uniform(limits.lower.value_or(-3), limits.upper.value_or(3));
      }
      const IkSolutions solutions = closed_form_ik(arm, *found, tool_pose(arm, forward_kinematics<double>(arm, q)));
      CHECK(solutions.reach == IkReach::solved);
      CHECK(std::any_of(solutions.begin(), solutions.end(), [](const IkSolution& s) { return s.within_limits; }));
    }
  }
  for (const char* name : {"panda", "iiwa14", "asea2"}) CHECK_FALSE(closed_form_family(built_in_arm(name)));
}
