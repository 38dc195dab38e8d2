// Inverse kinematics of an arm: every solution where a closed form is known, one by iteration elsewhere.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "armature/algorithms/redundant_ik.hpp"
#include "armature/core/fields.hpp"

namespace armature::compute {

struct IkTarget {
  Pose<double> X_WT;
  bool with_orientation = false;
};
/// x,y,z or x,y,z,qw,qx,qy,qz. Throws Error where the quaternion has not length 1.
IkTarget ik_target(std::span<const double> numbers);

/// What a solution by iteration has in place of a branch.
inline constexpr int by_iteration = -1;

/// What a person may change about it.
struct IkChoice {
  /// closed-form, newton, damped-least-squares or transposed-jacobian; empty: the closed form where there is one, else damped
  /// least squares.
  std::string method;
  /// Of seven-axis arms with a closed form, the arm angle or the position of joint 7 (RedundantFamily) [rad]. Not a number: that of
  /// the guess or, where it leaves no solution within the limits, the one next to it that does.
  double redundancy = std::numeric_limits<double>::quiet_NaN();

  void fields(Fields& f);
};

struct IkAnswer {
  const char* status = "";  // solved, singular, unreachable; by iteration: reached, stuck, out of patience
  /// Those within the limits of the joints first; of these, where a guess was given, the one next to it first.
  std::vector<IkSolution> solutions;
  std::optional<IkSolution> nearest;  // where there is no solution
  std::optional<double> redundancy;   // of the solutions, where the arm has one [rad]
};

/// Values of the redundancy for which a branch has a solution within the limits of the joints [rad].
struct RedundancyInterval {
  int branch = 0;
  double lower = 0, upper = 0;
};

/// One way to solve for all targets, chosen by the arm, by what the targets say and by the choice.
class IkSolver {
 public:
  /// `guess`: where to start, or which solution to stay near; empty: zero. Throws Error where the choice does not fit.
  IkSolver(Arm arm, const IkChoice& choice, bool with_orientation, VecX<double> guess = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  /// What a person should know about the choice; empty: nothing.
  [[nodiscard]] const std::string& warning() const { return warning_; }
  [[nodiscard]] IkAnswer solve(const Pose<double>& X_WT) const { return solve(X_WT, guess_); }
  [[nodiscard]] IkAnswer solve(const Pose<double>& X_WT, const VecX<double>& guess) const;
  /// What the redundancy is; empty where the closed form has none.
  [[nodiscard]] std::string_view redundancy() const {
    return redundant_ ? redundant_->redundancy() : std::string_view();
  }
  /// Over a whole turn from -180 degrees, branch by branch. Intervals narrower than a degree may be missed.
  [[nodiscard]] std::vector<RedundancyInterval> redundancy_intervals(const Pose<double>& X_WT) const;

 private:
  [[nodiscard]] IkAnswer iterate(const Pose<double>& X_WT, const VecX<double>& guess) const;
  [[nodiscard]] IkSolutions near_guess(const Pose<double>& X_WT, const VecX<double>& guess, double& redundancy) const;

  Arm arm_;
  std::optional<IkFamily> family_;
  std::optional<RedundantFamily> redundant_;  // neither: by iteration
  double chosen_redundancy_;
  VecX<double> guess_;
  IkSettings settings_;
  std::string name_, warning_;
};

}  // namespace armature::compute
