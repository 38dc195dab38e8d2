#include "armature/compute/ik_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>

#include "armature/compute/compute_choice.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::compute {

namespace {

Mat3<double> rotation_of(const double* q) {
  const Quaternion quaternion(q[0], q[1], q[2], q[3]);
  if (!(std::abs(quaternion.norm() - 1) <= 1e-3))
    throw Error(fmt::format("the quaternion qw,qx,qy,qz has length {:.4g}", quaternion.norm()), "its length is 1");
  return rotation_from_quaternion(quaternion);
}

IkMethod iteration_called(const std::string& method) {
  if (method == "newton") return IkMethod::newton;
  return method == "transposed-jacobian" ? IkMethod::transposed_jacobian : IkMethod::damped_least_squares;
}

bool any_within_limits(const IkSolutions& solutions) {
  return std::any_of(solutions.begin(), solutions.end(), [](const IkSolution& s) { return s.within_limits; });
}

}  // namespace

IkTarget ik_target(std::span<const double> numbers) {
  for (const double x : numbers)
    if (!std::isfinite(x))
      throw Error("a number of the target is not finite", "a position, and a quaternion of length 1");
  IkTarget target;
  target.X_WT.p = Vec3<double>(numbers[0], numbers[1], numbers[2]);
  target.with_orientation = numbers.size() > 3;
  if (target.with_orientation) target.X_WT.R = rotation_of(numbers.data() + 3);
  return target;
}

void IkChoice::fields(Fields& f) {
  f.text("method", method, "how it is solved");
  f.angle("redundancy", redundancy,
          "of seven-axis arms: the arm angle where the wrist is spherical, else the position of joint 7");
}

IkSolver::IkSolver(Arm arm, const IkChoice& choice, bool with_orientation, VecX<double> guess)
    : arm_(std::move(arm)), chosen_redundancy_(choice.redundancy), guess_(std::move(guess)) {
  static const std::vector<std::string> methods{"closed-form", "newton", "damped-least-squares", "transposed-jacobian"};
  const std::string& method = choice.method;
  if (!method.empty()) one_of("method", method, methods);
  family_ = closed_form_family(arm_);
  redundant_ = redundant_family(arm_);
  const bool known = family_ || redundant_, positions = family_ && family_->position_only();
  if (method == "closed-form" && !known)
    throw Error(fmt::format("no closed form is known for arm '{}'", printable(arm_.name())), "leave the method out");
  if (method == "closed-form" && !with_orientation && !positions)
    throw Error(fmt::format("the closed form of arm '{}' needs the orientation of the target", printable(arm_.name())),
                "give qw,qx,qy,qz as well, or leave the method out");
  const bool closed_form = known && (method.empty() || method == "closed-form") && (with_orientation || positions);
  if (std::isfinite(chosen_redundancy_) && !(closed_form && redundant_))
    throw Error(
        fmt::format("arm '{}' has no redundancy that could be chosen here", printable(arm_.name())),
        "it belongs to the closed form of seven-axis arms with a spherical shoulder, for targets with orientation");
  if (closed_form) {
    name_ = fmt::format("closed form ({})", family_ ? family_->name() : redundant_->name());
    if (with_orientation && positions)
      warning_ = fmt::format("arm '{}' reaches positions: the orientation of the target is left aside", arm_.name());
    return;
  }
  family_.reset();
  redundant_.reset();
  settings_.task = with_orientation ? IkTask::pose : IkTask::position;
  settings_.method = iteration_called(method);
  name_ = method.empty() ? methods[2] : method;
}

IkAnswer IkSolver::iterate(const Pose<double>& X_WT, const VecX<double>& guess) const {
  IkAnswer answer;
  const IkResult result = inverse_kinematics(arm_, X_WT, guess, settings_);
  IkSolution solution{.q = result.q, .branch = by_iteration, .error = result.error};
  const bool reached = result.status == IkStatus::reached;
  answer.status = reached ? "reached" : result.status == IkStatus::stuck ? "stuck" : "out of patience";
  if (reached)
    answer.solutions.push_back(solution);
  else
    answer.nearest = solution;
  return answer;
}

IkSolutions IkSolver::near_guess(const Pose<double>& X_WT, const VecX<double>& guess, double& redundancy) const {
  const VecX<double> from = guess.size() == arm_.dof() ? guess : VecX<double>::Zero(arm_.dof());
  const bool chosen = std::isfinite(chosen_redundancy_);
  const double start = chosen ? chosen_redundancy_ : redundancy_at(*redundant_, from);
  redundancy = start;
  IkSolutions best = redundant_ik(arm_, *redundant_, X_WT, start, guess);
  constexpr int steps = 72;  // of five degrees, half of them to either side
  for (int k = 1; k <= steps && !chosen && !any_within_limits(best); ++k) {
    const double there = start + (k % 2 ? 1 : -1) * ((k + 1) / 2) * 2 * pi / steps;
    const IkSolutions found = redundant_ik(arm_, *redundant_, X_WT, there, guess);
    const bool first_to_reach = best.size() == 0 && found.size() > 0;
    if (!first_to_reach && !any_within_limits(found)) continue;
    best = found;
    redundancy = there;
  }
  return best;
}

IkAnswer IkSolver::solve(const Pose<double>& X_WT, const VecX<double>& guess) const {
  if (!family_ && !redundant_) return iterate(X_WT, guess);
  IkAnswer answer;
  double redundancy = 0;
  const IkSolutions found = family_ ? closed_form_ik(arm_, *family_, X_WT, guess) : near_guess(X_WT, guess, redundancy);
  answer.status = found.reach == IkReach::solved     ? "solved"
                  : found.reach == IkReach::singular ? "singular"
                                                     : "unreachable";
  answer.solutions.assign(found.begin(), found.end());
  const bool guessed = guess.size() == arm_.dof();
  std::stable_sort(answer.solutions.begin(), answer.solutions.end(), [&](const IkSolution& a, const IkSolution& b) {
    if (a.within_limits != b.within_limits) return a.within_limits;
    return guessed && (a.q - guess).norm() < (b.q - guess).norm();
  });
  if (answer.solutions.empty()) answer.nearest = found.nearest;
  if (redundant_) answer.redundancy = std::remainder(redundancy, 2 * pi);
  return answer;
}

std::vector<RedundancyInterval> IkSolver::redundancy_intervals(const Pose<double>& X_WT) const {
  std::vector<RedundancyInterval> intervals;
  if (!redundant_) return intervals;
  using Branches = std::bitset<RedundantFamily::branches>;
  const auto allowed_at = [&](double redundancy) {
    Branches allowed;
    for (const IkSolution& s : redundant_ik(arm_, *redundant_, X_WT, redundancy))
      if (s.within_limits) allowed.set(s.branch);
    return allowed;
  };
  const auto border = [&](double inside, double outside, int branch) {
    while (std::abs(outside - inside) > 1e-9) {
      const double middle = (inside + outside) / 2;
      (allowed_at(middle).test(branch) ? inside : outside) = middle;
    }
    return inside;
  };
  constexpr int steps = 360;
  Branches before;
  for (int k = 0; k <= steps; ++k) {
    const double here = -pi + k * 2 * pi / steps, last = here - 2 * pi / steps;
    const Branches now = allowed_at(here);
    for (int branch = 0; branch < RedundantFamily::branches; ++branch) {
      if (now.test(branch) && !before.test(branch))
        intervals.push_back({branch, k == 0 ? here : border(here, last, branch), here});
      if (!now.test(branch) && !before.test(branch)) continue;
      const auto open = std::find_if(intervals.rbegin(), intervals.rend(),
                                     [&](const RedundancyInterval& i) { return i.branch == branch; });
      open->upper = now.test(branch) ? here : border(last, here, branch);
    }
    before = now;
  }
  std::stable_sort(intervals.begin(), intervals.end(),
                   [](const RedundancyInterval& a, const RedundancyInterval& b) { return a.branch < b.branch; });
  return intervals;
}

}  // namespace armature::compute
