// From the branches of a closed form to the list of solutions. Used inside closed-form inverse kinematics.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/algorithms/internal/whole_turns.hpp"
#include "armature/core/units.hpp"

namespace armature::algorithms {

/// Moves the revolute joints by whole turns next to `near`, and from there into the limits where turns do that.
inline void wrap_into_limits(const Arm& arm, const VecX<double>& near, IkSolution& solution) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  solution.within_limits = true;
  for (int i = 0; i < arm.dof(); ++i) {
    const double lower = arm.joint(i).limits.lower.value_or(-infinity);
    const double upper = arm.joint(i).limits.upper.value_or(infinity);
    double& q = solution.q[i];
    if (arm.body(i).revolute) q = turned_into(q, near[i], lower, upper);
    if (q < lower || q > upper) solution.within_limits = false;
  }
}

inline bool same_solution(const Arm& arm, const IkSolution& a, const IkSolution& b) {
  constexpr double apart = 1e-7;  // nearer solutions are one: at a double root rounding alone parts them by 1e-8
  if (a.free != b.free) return false;
  for (int i = 0; i < arm.dof(); ++i) {
    if (a.free.test(i)) continue;
    const double difference = a.q[i] - b.q[i];
    if (std::abs(arm.body(i).revolute ? std::remainder(difference, 2 * pi) : difference) > apart) return false;
  }
  return true;
}

/// The solutions among the branches 0 to `branches` - 1, each tried by forward kinematics. `solve(branch)` gives positions and
/// free joints of one; `misfit` is how far the arm is from the family that the branches belong to.
template <class Solve>
IkSolutions solutions_of_branches(const Arm& arm, const Pose<double>& target, IkTask task, const VecX<double>& near,
                                  int branches, double misfit, Solve&& solve) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double accuracy = 1e-9;  // relative: of the position [m] against max(1, size), of the angle [rad]
  IkSolutions solutions;
  solutions.nearest.q = near;
  solutions.nearest.error = {infinity, infinity};
  if (!target.p.allFinite() || !target.R.allFinite()) return solutions;

  const double length = accuracy * std::max(1.0, target.p.cwiseAbs().maxCoeff());
  const auto accurate = [&](const IkError& e) { return e.position <= length && e.angle <= accuracy; };
  const auto size_of = [](const IkError& e) { return e.position + e.angle; };
  // Where two singularities meet, and for arms that fit their family roughly, a branch may miss by a little.
  const double refinable = std::max(1e-6, 1e3 * misfit);
  const IkSettings refine{.task = task, .max_iterations = 20, .restarts = 0, .keep_limits = false};
  bool singular = false;
  for (int branch = 0; branch < branches; ++branch) {
    IkSolution solution = solve(branch);
    solution.branch = branch;
    solution.error = ik_error(arm, solution.q, target, task);
    if (!accurate(solution.error) && size_of(solution.error) < refinable) {
      solution.q = inverse_kinematics(arm, target, solution.q, refine).q;
      solution.error = ik_error(arm, solution.q, target, task);
    }
    wrap_into_limits(arm, near, solution);
    if (size_of(solution.error) < size_of(solutions.nearest.error)) solutions.nearest = solution;
    const bool known = std::any_of(solutions.begin(), solutions.end(),
                                   [&](const IkSolution& other) { return same_solution(arm, other, solution); });
    if (!accurate(solution.error) || known) continue;
    singular = singular || solution.free.any();
    solutions.add(solution);
  }
  if (solutions.size() > 0) solutions.reach = singular ? IkReach::singular : IkReach::solved;
  return solutions;
}

/// `near`, where it is one position per joint; else zero.
inline VecX<double> start_near(const Arm& arm, const VecX<double>& near) {
  return near.size() == arm.dof() && near.allFinite() ? near : VecX<double>::Zero(arm.dof());
}

}  // namespace armature::algorithms
