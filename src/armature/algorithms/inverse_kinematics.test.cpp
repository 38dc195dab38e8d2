// Inverse kinematics by iteration.
#include "armature/algorithms/inverse_kinematics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/ik_arms.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

Pose<double> tool_at(const Arm& arm, const VecX<double>& q) {
  return tool_pose(arm, forward_kinematics<double>(arm, q));
}

VecX<double> degrees(double a, double b, double c) { return Vec3<double>(a, b, c) * deg; }

/// [Tum2019, Task 11]: x = 0.93 m, y = 0.19 m, phi = 35°, with links of 1/3 m.
const Pose<double> task_11{rotation_z(35 * deg), Vec3<double>(0.93, 0.19, 0)};

double nearest_closed_form(const Arm& arm, const Pose<double>& target, const VecX<double>& q) {
  double nearest = 10;
  for (const IkSolution& s : closed_form_ik(arm, target)) nearest = std::min(nearest, joint_distance(arm, s.q, q));
  return nearest;
}

}  // namespace

TEST_CASE("from random guesses every target within reach is reached, at one of the closed-form solutions") {
  Random random(50);
  for (const IkArm& member : ik_arms())
    for (const Arm& arm : {member.arm, retold(member.arm, random)}) {
      CAPTURE(arm.name());
      const bool position = closed_form_family(arm)->position_only();
      for (int k = 0; k < 200; ++k) {
        const Pose<double> target = tool_at(arm, random_vector(arm.dof(), random, 3));
        const IkResult r = inverse_kinematics(arm, target, random_vector(arm.dof(), random, 3),
                                              {.task = position ? IkTask::position : IkTask::pose});
        CHECK(r.status == IkStatus::reached);
        CHECK((tool_at(arm, r.q).p - target.p).norm() < 1e-9);
        const double conditioning = 1e-4;  // near a singularity a pose within 1e-10 leaves the joints more room
        CHECK(nearest_closed_form(arm, target, r.q) < conditioning);
      }
    }
}

TEST_CASE("redundant arms reach every pose they were seen in") {
  Random random(51);
  for (int dof = 7; dof <= max_joints; ++dof)
    for (int k = 0; k < 20; ++k) {
      const Arm arm = random_arm(dof, random);
      const Pose<double> target = tool_at(arm, random_vector(dof, random, 1));
      const IkResult r = inverse_kinematics(arm, target, random_vector(dof, random, 1));
      CHECK(r.status == IkStatus::reached);
      CHECK((tool_at(arm, r.q).R - target.R).norm() < 1e-9);
    }
}

TEST_CASE("built-in arms reach every pose within their limits, starting from zero") {
  Random random(56);
  for (const char* name : {"tx40", "puma560", "ur5e", "panda", "iiwa14"}) {
    CAPTURE(name);
    const Arm arm = built_in_arm(name);
    for (int k = 0; k < 200; ++k) {
      VecX<double> q(arm.dof());
      for (int i = 0; i < arm.dof(); ++i) q[i] = random.uniform(*arm.joint(i).limits.lower, *arm.joint(i).limits.upper);
      const IkResult r = inverse_kinematics(arm, tool_at(arm, q));
      CHECK(r.status == IkStatus::reached);
      for (int i = 0; i < arm.dof(); ++i) {
        CHECK(r.q[i] >= *arm.joint(i).limits.lower);
        CHECK(r.q[i] <= *arm.joint(i).limits.upper);
      }
    }
  }
}

TEST_CASE("Task 11: both guesses lead to a solution, and Newton doubles the digits at each iteration") {
  const Arm arm = ik_arm("planar3r");
  const IkSettings newton{.task = IkTask::planar, .method = IkMethod::newton, .restarts = 0};
  std::array<double, 30> history{};
  const IkResult r = inverse_kinematics(arm, task_11, degrees(0, -15, 35), newton, history);
  CHECK(r.status == IkStatus::reached);
  CHECK(r.q[1] < 0);  // the elbow stays on the side of the guess
  CHECK(nearest_closed_form(arm, task_11, r.q) < 1e-10);
  REQUIRE(r.iterations >= 3);
  const auto digits = [&](int k) { return -std::log(history[k]); };
  const int last = history[r.iterations] > 1e-14 ? r.iterations : r.iterations - 1;
  CHECK((digits(last) - digits(last - 1)) / (digits(last - 1) - digits(last - 2)) == doctest::Approx(2).epsilon(0.1));

  // (10, 0, 45)° is singular: the arm is stretched.
  for (const VecX<double>& guess : {degrees(0, -15, 35), degrees(10, 0, 45)})
    for (const IkTask task : {IkTask::planar, IkTask::pose}) {
      const IkResult damped = inverse_kinematics(arm, task_11, guess, {.task = task, .restarts = 0}, history);
      CHECK(damped.status == IkStatus::reached);
      CHECK(damped.restarts == 0);
      CHECK(nearest_closed_form(arm, task_11, damped.q) < 1e-9);
      for (int k = 1; k <= damped.iterations; ++k)  // every step lowers the error or is not taken
        CHECK(history[k] <= history[k - 1]);
    }
}

TEST_CASE("the transposed Jacobian converges below its gain bound and not above") {
  const Arm arm = ik_arm("planar3r");
  IkSettings settings{
      .task = IkTask::planar, .method = IkMethod::transposed_jacobian, .max_iterations = 20000, .restarts = 0};
  for (const IkSolution& solution : closed_form_ik(arm, task_11)) {
    const double bound = transposed_jacobian_gain_bound(arm, solution.q, settings);
    const VecX<double> guess = solution.q + degrees(0.1, -0.1, 0.1);
    settings.gain = 0.98 * bound;
    CHECK(inverse_kinematics(arm, task_11, guess, settings).status == IkStatus::reached);
    settings.gain = 1.02 * bound;
    CHECK(inverse_kinematics(arm, task_11, guess, settings).status != IkStatus::reached);
  }
  settings.gain = 0;
  CHECK(inverse_kinematics(arm, task_11, degrees(0, -15, 35), settings).status == IkStatus::reached);
}

TEST_CASE("a target out of reach gives the nearest position, and says that it is stuck") {
  const Arm arm = ik_arm("planar3r");  // reach 1 m
  const Pose<double> far{Mat3<double>::Identity(), Vec3<double>(0, 1.5, 0)};
  const IkResult r = inverse_kinematics(arm, far, degrees(10, 20, 30), {.task = IkTask::position, .restarts = 3});
  CHECK(r.status == IkStatus::stuck);
  CHECK(r.error.position == doctest::Approx(0.5).epsilon(1e-12));

  Random random(52);
  for (const IkArm& member : ik_arms()) {  // nearest: the error is at right angles to every motion, to a thousandth
    if (member.family == "RPR") continue;  // slides to anywhere in its slab
    CAPTURE(member.arm.name());
    const Pose<double> target{random_pose(random).R, Vec3<double>(2, -3, 1.5)};
    const IkResult nearest = inverse_kinematics(member.arm, target, random_vector(member.arm.dof(), random, 2),
                                                {.task = IkTask::position, .restarts = 2});
    CHECK(nearest.status == IkStatus::stuck);
    const LinkPoses<double> poses = forward_kinematics<double>(member.arm, nearest.q);
    const Vec3<double> e = target.p - tool_pose(member.arm, poses).p;
    CHECK(e.norm() == doctest::Approx(nearest.error.position));
    const auto J = tool_jacobian(member.arm, poses).topRows<3>().eval();
    CHECK((J.transpose() * e).norm() < 1e-3 * J.norm() * e.norm());
  }
}

TEST_CASE("joint limits are kept, on the way and in the end") {
  Random random(53);
  ArmDescription limited = ik_arm("puma560").description();
  for (JointDescription& joint : limited.joints) {
    joint.limits.lower = -1.5;
    joint.limits.upper = 2.;
  }
  const Arm arm(limited);
  for (int k = 0; k < 100; ++k) {
    VecX<double> inside(6);
    for (int i = 0; i < 6; ++i) inside[i] = random.uniform(-1.5, 2);
    const IkResult r = inverse_kinematics(arm, tool_at(arm, inside), random_vector(6, random, 3));
    CHECK(r.status == IkStatus::reached);
    CHECK(r.q.minCoeff() >= -1.5);
    CHECK(r.q.maxCoeff() <= 2);
  }
  // One joint against its stop: the nearest position is there, not where it would be without stops.
  ArmDescription stopped = ik_arm("planar3r").description();
  for (JointDescription& joint : stopped.joints) {
    joint.limits.lower = -0.1;
    joint.limits.upper = 0.1;
  }
  const Pose<double> left{Mat3<double>::Identity(), Vec3<double>(0, 1, 0)};
  const IkResult r = inverse_kinematics(Arm(stopped), left, {}, {.task = IkTask::position});
  CHECK(r.status == IkStatus::stuck);
  CHECK((r.q - VecX<double>::Constant(3, 0.1)).norm() < 1e-12);
}

TEST_CASE("the planar task leaves height and tilt to the arm") {
  Random random(54);
  const Arm arm = ik_arm("ur5");  // its first axis is upright
  for (int k = 0; k < 50; ++k) {
    const Pose<double> target = tool_at(arm, random_vector(6, random, 3));
    const IkResult r = inverse_kinematics(arm, target, random_vector(6, random, 3), {.task = IkTask::planar});
    REQUIRE(r.status == IkStatus::reached);
    const Pose<double> X = tool_at(arm, r.q);
    CHECK((X.p - target.p).head<2>().norm() < 1e-9);
    const Vec3<double> turn = log_map(target.R * X.R.transpose());
    CHECK(std::abs(turn[2]) < 1e-8);  // no twist about z: what is left turns about an axis in the plane
  }
}

TEST_CASE("the same input gives the same result, and unusable input an answer without NaN") {
  const Arm arm = ik_arm("ur10");
  Random random(55);
  const Pose<double> target = tool_at(arm, random_vector(6, random, 3));
  const IkResult a = inverse_kinematics(arm, target), b = inverse_kinematics(arm, target);
  CHECK(a.q == b.q);
  CHECK(a.iterations == b.iterations);

  const double nan = std::nan("");
  const IkResult lost = inverse_kinematics(arm, {Mat3<double>::Identity(), Vec3<double>(nan, 0, 0)});
  CHECK(lost.status == IkStatus::stuck);
  CHECK(lost.q.allFinite());
  CHECK(std::isinf(lost.error.position));
  const IkResult found = inverse_kinematics(arm, target, VecX<double>::Constant(6, nan));
  CHECK(found.status == IkStatus::reached);
  CHECK(inverse_kinematics(arm, target, VecX<double>::Zero(2)).q == found.q);
}
