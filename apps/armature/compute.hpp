// What a person asked of `compute`, and the ways to answer it.
#pragma once

#include <optional>
#include <string>

#include "arm_options.hpp"
#include "armature/compute/quantities.hpp"
#include "kernel_option.hpp"

namespace armature::app {

struct ComputeOptions {
  std::string what;
  ArmOptions arm;
  KernelOption kernels;
  std::optional<std::string> q, v, a, tau;  // one state
  std::optional<std::string> pose, guess;   // of inverse-kinematics
  std::optional<std::string> in, out;       // many states or targets
  std::optional<std::string> with, method, redundancy, representation, task, frame, wrench;
  bool json = false;
};

/// One state from the options --q, --v, --a, --tau; the answer as text, JSON or a table of one row.
int compute_one_state(const ComputeOptions& options, const Quantity& quantity, const LoadedArm& loaded);
/// States from a table, answers to a table, in constant memory.
int compute_table(const ComputeOptions& options, const Quantity& quantity, const LoadedArm& loaded);
int compute_inverse_kinematics(const ComputeOptions& options, const LoadedArm& loaded);
int compute_base_parameters(const ComputeOptions& options, const LoadedArm& loaded);

/// What the options change, checked against the arm and against what `quantity` obeys.
ComputeSettings settings_of(const ComputeOptions& options, const Quantity& quantity, const Arm& arm);
/// Throws Error where an option is given that is not among the words of `obeyed`, such as " wrench method ".
void refuse_other_options(const ComputeOptions& options, std::string_view what, std::string_view obeyed);
/// One quantity per joint, as "10 deg, 20 mm, 0.3".
VecX<double> joint_quantities(const std::string& option, const std::string& text, const Arm& arm, Dimension revolute,
                              Dimension prismatic);
/// Where the table of results goes.
std::string table_output(const ComputeOptions& options);

/// Says so, and returns true, if a joint's angle looks like degrees.
bool warn_of_degrees(const Arm& arm, const VecX<double>& q, const Place& place);
/// Throws Error where a result is not finite.
void refuse_infinite(std::span<const double> numbers, const std::vector<std::string>& columns);

}  // namespace armature::app
