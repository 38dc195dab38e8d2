// Inverse kinematics of an arm: every solution where a closed form is known, one by iteration elsewhere.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "armature/algorithms/closed_form_ik.hpp"

namespace armature::compute {

struct IkTarget {
  Pose<double> X_WT;
  bool with_orientation = false;
};
/// x,y,z or x,y,z,qw,qx,qy,qz. Throws Error where the quaternion has not length 1.
IkTarget ik_target(std::span<const double> numbers);

/// What a solution by iteration has in place of a branch.
inline constexpr int by_iteration = -1;

struct IkAnswer {
  const char* status = "";  // solved, singular, unreachable; by iteration: reached, stuck, out of patience
  std::vector<IkSolution> solutions;
  std::optional<IkSolution> nearest;  // where there is no solution
};

/// One way to solve for all targets, chosen by the arm, by what the targets say and by the method asked for: closed-form, newton,
/// damped-least-squares or transposed-jacobian; empty: the closed form where there is one, else damped least squares.
class IkSolver {
 public:
  /// `guess`: where to start, or which solution to stay near; empty: zero. Throws Error where the method does not fit.
  IkSolver(Arm arm, const std::string& method, bool with_orientation, VecX<double> guess = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  /// What a person should know about the choice; empty: nothing.
  [[nodiscard]] const std::string& warning() const { return warning_; }
  [[nodiscard]] IkAnswer solve(const Pose<double>& X_WT) const { return solve(X_WT, guess_); }
  [[nodiscard]] IkAnswer solve(const Pose<double>& X_WT, const VecX<double>& guess) const;

 private:
  Arm arm_;
  std::optional<IkFamily> family_;  // none: by iteration
  VecX<double> guess_;
  IkSettings settings_;
  std::string name_, warning_;
};

}  // namespace armature::compute
