#include "armature/compute/ik_solver.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/compute/compute_choice.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
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

IkSolver::IkSolver(Arm arm, const std::string& method, bool with_orientation, VecX<double> guess)
    : arm_(std::move(arm)), guess_(std::move(guess)) {
  static const std::vector<std::string> methods{"closed-form", "newton", "damped-least-squares", "transposed-jacobian"};
  if (!method.empty()) one_of("method", method, methods);
  family_ = closed_form_family(arm_);
  const bool closed_form =
      method == "closed-form" || (method.empty() && family_ && (with_orientation || family_->position_only()));
  if (method == "closed-form" && !family_)
    throw Error(fmt::format("no closed form is known for arm '{}'", printable(arm_.name())), "leave the method out");
  if (method == "closed-form" && !with_orientation && !family_->position_only())
    throw Error(fmt::format("the closed form of arm '{}' needs the orientation of the target", printable(arm_.name())),
                "give qw,qx,qy,qz as well, or leave the method out");
  if (closed_form) {
    name_ = fmt::format("closed form ({})", family_->name());
    if (with_orientation && family_->position_only())
      warning_ = fmt::format("arm '{}' reaches positions: the orientation of the target is left aside", arm_.name());
    return;
  }
  family_.reset();
  settings_.task = with_orientation ? IkTask::pose : IkTask::position;
  settings_.method = iteration_called(method);
  name_ = method.empty() ? methods[2] : method;
}

IkAnswer IkSolver::solve(const Pose<double>& X_WT, const VecX<double>& guess) const {
  IkAnswer answer;
  if (!family_) {
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
  const IkSolutions found = closed_form_ik(arm_, *family_, X_WT, guess);
  answer.status = found.reach == IkReach::solved     ? "solved"
                  : found.reach == IkReach::singular ? "singular"
                                                     : "unreachable";
  answer.solutions.assign(found.begin(), found.end());
  if (answer.solutions.empty()) answer.nearest = found.nearest;
  return answer;
}

}  // namespace armature::compute
