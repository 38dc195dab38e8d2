#include "armature/algorithms/closed_form_ik.hpp"

#include <algorithm>

#include "armature/algorithms/closed_form_ik_branch.hpp"
#include "armature/algorithms/internal/ik_branches.hpp"

namespace armature::algorithms {

IkSolutions closed_form_ik(const Arm& arm, const IkFamily& family, const Pose<double>& target,
                           const VecX<double>& near) {
  const VecX<double> here = start_near(arm, near);
  IkMath<double> start;
  start.vanishing = std::max(start.vanishing, 10 * family.misfit);
  for (int i = 0; i < arm.dof(); ++i) start.theta[i] = family.joints[i].sign * here[i] + family.joints[i].offset;
  const auto solve = [&](int branch) {
    IkMath<double> math = start;
    IkSolution solution{.q = closed_form_branch(family, target, branch, math)};
    for (std::size_t i = 0; i < math.free.size(); ++i) solution.free.set(i, math.free.test(i));
    return solution;
  };
  const IkTask task = family.position_only() ? IkTask::position : IkTask::pose;
  return solutions_of_branches(arm, target, task, here, family.branches(), family.misfit, solve);
}

IkSolutions closed_form_ik(const Arm& arm, const Pose<double>& target, const VecX<double>& near) {
  if (const auto family = closed_form_family(arm)) return closed_form_ik(arm, *family, target, near);
  IkSolutions none;
  none.reach = IkReach::no_closed_form;
  return none;
}

}  // namespace armature::algorithms
