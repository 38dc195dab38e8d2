#include "armature/algorithms/closed_form_ik.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/algorithms/closed_form_ik_branch.hpp"
#include "armature/algorithms/internal/whole_turns.hpp"
#include "armature/core/units.hpp"

namespace armature::algorithms {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double accuracy = 1e-9;  // relative: of the position [m] against max(1, size), of the angle [rad]
constexpr double apart = 1e-7;     // nearer solutions are one: at a double root rounding alone parts them by 1e-8

/// Moves the revolute joints by whole turns next to `near`, and from there into the limits where turns do that.
void wrap(const Arm& arm, const VecX<double>& near, IkSolution& solution) {
  solution.within_limits = true;
  for (int i = 0; i < arm.dof(); ++i) {
    const double lower = arm.joint(i).limits.lower.value_or(-infinity);
    const double upper = arm.joint(i).limits.upper.value_or(infinity);
    double& q = solution.q[i];
    if (arm.body(i).revolute) q = turned_into(q, near[i], lower, upper);
    if (q < lower || q > upper) solution.within_limits = false;
  }
}

bool same(const Arm& arm, const IkSolution& a, const IkSolution& b) {
  if (a.free != b.free) return false;
  for (int i = 0; i < arm.dof(); ++i) {
    if (a.free.test(static_cast<std::size_t>(i))) continue;
    const double difference = a.q[i] - b.q[i];
    if (std::abs(arm.body(i).revolute ? std::remainder(difference, 2 * pi) : difference) > apart) return false;
  }
  return true;
}

}  // namespace

IkSolutions closed_form_ik(const Arm& arm, const IkFamily& family, const Pose<double>& target,
                           const VecX<double>& near) {
  const IkTask task = family.position_only() ? IkTask::position : IkTask::pose;
  const VecX<double> here = near.size() == arm.dof() && near.allFinite() ? near : VecX<double>::Zero(arm.dof());
  IkSolutions solutions;
  solutions.nearest.q = here;
  solutions.nearest.error = {infinity, infinity};
  if (!target.p.allFinite() || !target.R.allFinite()) return solutions;

  const double length = accuracy * std::max(1.0, target.p.cwiseAbs().maxCoeff());
  const auto accurate = [&](const IkError& e) { return e.position <= length && e.angle <= accuracy; };
  const auto size_of = [](const IkError& e) { return e.position + e.angle; };
  // Where two singularities meet, and for arms that fit their family roughly, a branch may miss by a little.
  const double refinable = std::max(1e-6, 1e3 * family.misfit);
  const IkSettings refine{.task = task, .max_iterations = 20, .restarts = 0, .keep_limits = false};
  bool singular = false;
  for (int branch = 0; branch < family.branches(); ++branch) {
    IkMath<double> math;
    math.vanishing = std::max(math.vanishing, 10 * family.misfit);
    for (int i = 0; i < arm.dof(); ++i) {
      const auto j = static_cast<std::size_t>(i);
      math.theta[j] = family.joints[j].sign * here[i] + family.joints[j].offset;
    }
    IkSolution solution{.q = closed_form_branch(family, target, branch, math), .branch = branch, .free = math.free};
    solution.error = ik_error(arm, solution.q, target, task);
    if (!accurate(solution.error) && size_of(solution.error) < refinable) {
      solution.q = inverse_kinematics(arm, target, solution.q, refine).q;
      solution.error = ik_error(arm, solution.q, target, task);
    }
    wrap(arm, here, solution);
    if (size_of(solution.error) < size_of(solutions.nearest.error)) solutions.nearest = solution;
    const bool known = std::any_of(solutions.begin(), solutions.end(),
                                   [&](const IkSolution& other) { return same(arm, other, solution); });
    if (!accurate(solution.error) || known) continue;
    singular = singular || solution.free.any();
    solutions.add(solution);
  }
  if (solutions.size() > 0) solutions.reach = singular ? IkReach::singular : IkReach::solved;
  return solutions;
}

IkSolutions closed_form_ik(const Arm& arm, const Pose<double>& target, const VecX<double>& near) {
  if (const auto family = closed_form_family(arm)) return closed_form_ik(arm, *family, target, near);
  IkSolutions none;
  none.reach = IkReach::no_closed_form;
  return none;
}

}  // namespace armature::algorithms
