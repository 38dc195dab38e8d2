// Checks that settings fit the arm, once, when a law is built.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "armature/control/controller.hpp"
#include "armature/model/arm.hpp"

namespace armature::control {

/// One finite, not negative number per joint. Empty: `otherwise` for every joint. Throws Error naming `what`.
VecX<double> joint_gains(const Arm& arm, std::string_view what, const VecX<double>& gains, double otherwise = 0);
/// The same for numbers of either sign.
VecX<double> joint_numbers(const Arm& arm, std::string_view what, const VecX<double>& numbers, double otherwise = 0);
inline constexpr double unlimited = std::numeric_limits<double>::infinity();
/// The limits of one sort that the arm's file states; `otherwise` for a joint without.
VecX<double> limits_of(const Arm& arm, std::optional<double> Limits::*which, double otherwise = unlimited);
/// Throws Error unless `value` is a finite number of at least `least`.
double number_at_least(std::string_view what, double value, double least);

}  // namespace armature::control
