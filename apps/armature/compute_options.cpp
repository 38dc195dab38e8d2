// What the options of `compute` mean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/compute/compute_choice.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "compute.hpp"
#include "terminal.hpp"

namespace armature::app {

namespace {

std::vector<double> wrench_of(const std::string& text) {
  std::vector<Dimension> dimensions(3, dimension::force);
  dimensions.resize(6, dimension::torque);
  return parse_quantities("--wrench", text, dimensions, "fx,fy,fz,mx,my,mz");
}

}  // namespace

void refuse_other_options(const ComputeOptions& options, std::string_view what, std::string_view obeyed) {
  const auto check = [&](const std::string& word, const std::string& option) {
    if (obeyed.find(" " + word + " ") == std::string_view::npos)
      throw Error(fmt::format("{} changes nothing about {}", option, what), "leave it out");
  };
  const std::pair<const char*, const std::optional<std::string>&> given[] = {{"q", options.q},
                                                                             {"v", options.v},
                                                                             {"a", options.a},
                                                                             {"tau", options.tau},
                                                                             {"pose", options.pose},
                                                                             {"guess", options.guess},
                                                                             {"method", options.method},
                                                                             {"redundancy", options.redundancy},
                                                                             {"representation", options.representation},
                                                                             {"task", options.task},
                                                                             {"frame", options.frame},
                                                                             {"wrench", options.wrench},
                                                                             {"kernels", options.kernels.kernels}};
  for (const auto& [word, value] : given)
    if (value) check(word, fmt::format("--{}", word));
  if (options.with)
    for (const std::string& word : split_words(*options.with))
      check(one_of("--with", word, {"friction", "rotor"}), "--with " + word);
}

ComputeSettings settings_of(const ComputeOptions& options, const Quantity& quantity, const Arm& arm) {
  std::string obeyed = " " + std::string(quantity.options) + " ";
  for (const char input : quantity.inputs) obeyed += input == 't' ? "tau " : std::string{input, ' '};
  refuse_other_options(options, quantity.name, obeyed);

  ComputeChoice choice;
  if (options.with)
    for (const std::string& word : split_words(*options.with))
      (word == "friction" ? choice.friction : choice.rotor) = true;
  choice.method = options.method.value_or("");
  choice.representation = options.representation.value_or("");
  choice.task = options.task.value_or("");
  choice.frame = options.frame.value_or("");
  if (options.wrench) choice.wrench = wrench_of(*options.wrench);
  const ComputeSettings settings = settings_for(choice, quantity, arm);
  if (options.kernels.kernels && *options.kernels.kernels != "none" && (settings.lagrange || settings.wrench))
    throw Error("--kernels are functions without --wrench and without another --method", "leave one of them out");
  return settings;
}

VecX<double> joint_quantities(const std::string& option, const std::string& text, const Arm& arm, Dimension revolute,
                              Dimension prismatic) {
  std::vector<std::string> names;
  for (int i = 0; i < arm.dof(); ++i) names.push_back(arm.joint(i).name);
  const auto values = parse_joint_quantities(option, text, arm, revolute, prismatic,
                                             fmt::format("one value per joint ({})", fmt::join(names, ", ")));
  return Eigen::Map<const Eigen::VectorXd>(values.data(), arm.dof());
}

std::string table_output(const ComputeOptions& options) {
  if (options.json && options.out.value_or("-") == "-")
    throw Error("--json and a table cannot share the standard output", "give --out FILE, or leave --json out");
  return options.out.value_or("-");
}

bool warn_of_degrees(const Arm& arm, const VecX<double>& q, const Place& place) {
  constexpr double eight_turns = 50;  // [rad]
  for (int i = 0; i < arm.dof(); ++i) {
    if (!arm.body(i).revolute || std::abs(q[i]) <= eight_turns) continue;
    warn(fmt::format("{}: q{} is {} rad, {:.3g} turns\n  hint: is it meant in degrees?", to_string(place), i + 1,
                     exact_text(q[i]), std::abs(q[i]) / (2 * pi)));
    return true;
  }
  return false;
}

void refuse_infinite(std::span<const double> numbers, const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw Error(fmt::format("{} is not finite for this state", columns[i]), "are the numbers of a sensible size?");
}

}  // namespace armature::app
