#include "armature/control/internal/settings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/error.hpp"

namespace armature::control {

VecX<double> joint_numbers(const Arm& arm, std::string_view what, const VecX<double>& numbers, double otherwise) {
  if (numbers.size() == 0) return VecX<double>::Constant(arm.dof(), otherwise);
  if (numbers.size() != arm.dof())
    throw Error(fmt::format("{} has {} numbers, arm '{}' has {} joints", what, numbers.size(), arm.name(), arm.dof()),
                "give one number per joint");
  if (!numbers.allFinite()) throw Error(fmt::format("{} is not finite", what), "give one number per joint");
  return numbers;
}

VecX<double> joint_gains(const Arm& arm, std::string_view what, const VecX<double>& gains, double otherwise) {
  VecX<double> checked = joint_numbers(arm, what, gains, otherwise);
  if (checked.minCoeff() < 0)
    throw Error(fmt::format("{} has a negative number, {}", what, checked.minCoeff()),
                "a negative gain feeds the error; give zero or more");
  return checked;
}

VecX<double> limits_of(const Arm& arm, std::optional<double> Limits::*which, double otherwise) {
  VecX<double> limits(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) limits[i] = (arm.joint(i).limits.*which).value_or(otherwise);
  return limits;
}

double number_at_least(std::string_view what, double value, double least) {
  if (!std::isfinite(value) || value < least)
    throw Error(fmt::format("{} is {}", what, value), fmt::format("give a number of at least {}", least));
  return value;
}

}  // namespace armature::control
