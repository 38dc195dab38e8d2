// What the options of `compute` mean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "compute.hpp"
#include "terminal.hpp"

namespace armature {

namespace {

Frame frame_called(const Arm& arm, const std::string& name) {
  std::vector<std::string> names;
  for (const Frame& frame : arm.frames()) {
    if (frame.name == name) return frame;
    names.push_back(frame.name);
  }
  throw Error(fmt::format("--frame: arm '{}' has no link '{}'", arm.name(), printable(name)), suggestion(name, names));
}

/// The motions named in `text`, in the order of a six-vector; without text all six, or the translations of an arm that
/// has not six joints.
TaskRows task_of(const std::optional<std::string>& text, const Arm& arm) {
  if (!text) return arm.dof() < 6 ? TaskRows::position() : TaskRows::full();
  const std::vector<std::string> names{"x", "y", "z", "rx", "ry", "rz"};
  const std::vector<std::string> words = split_words(*text);
  for (const std::string& word : words) choice("--task", word, names);
  TaskRows rows{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto times = std::count(words.begin(), words.end(), names[i]);
    if (times > 1) throw Error(fmt::format("--task names '{}' twice", names[i]), "once is enough");
    if (times == 1) rows.row[static_cast<std::size_t>(rows.count++)] = static_cast<int>(i);
  }
  return rows;
}

Vec6<double> wrench_of(const std::string& text) {
  std::vector<Dimension> dimensions(3, dimension::force);
  dimensions.resize(6, dimension::torque);
  return Vec6<double>(parse_quantities("--wrench", text, dimensions, "fx,fy,fz,mx,my,mz").data());
}

}  // namespace

std::string choice(const char* option, const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) == words.end())
    throw Error(fmt::format("{}: unknown '{}'", option, printable(word)), suggestion(word, words));
  return word;
}

void refuse_other_options(const ComputeOptions& options, std::string_view what, std::string_view obeyed) {
  const auto check = [&](const std::string& word, const std::string& option) {
    if (obeyed.find(" " + word + " ") == std::string_view::npos)
      throw Error(fmt::format("{} changes nothing about {}", option, what), "leave it out");
  };
  const std::pair<const char*, const std::optional<std::string>&> given[] = {
      {"q", options.q},           {"v", options.v},
      {"a", options.a},           {"tau", options.tau},
      {"pose", options.pose},     {"guess", options.guess},
      {"method", options.method}, {"representation", options.representation},
      {"task", options.task},     {"frame", options.frame},
      {"wrench", options.wrench}, {"kernels", options.kernels.kernels}};
  for (const auto& [word, value] : given)
    if (value) check(word, fmt::format("--{}", word));
  if (options.with)
    for (const std::string& word : split_words(*options.with))
      check(choice("--with", word, {"friction", "rotor"}), "--with " + word);
}

ComputeSettings settings_of(const ComputeOptions& options, const Quantity& quantity, const Arm& arm) {
  std::string obeyed = " " + std::string(quantity.options) + " ";
  for (const char input : quantity.inputs) obeyed += input == 't' ? "tau " : std::string{input, ' '};
  refuse_other_options(options, quantity.name, obeyed);

  ComputeSettings settings;
  if (options.with)
    for (const std::string& word : split_words(*options.with))
      (word == "friction" ? settings.friction : settings.rotor) = true;
  if (options.method)
    settings.lagrange = choice("--method", *options.method, {"newton-euler", "lagrange"}) == "lagrange";
  if (options.representation)
    settings.angles = choice("--representation", *options.representation, {"zyz", "rpy"}) == "zyz"
                          ? EulerConvention::zyz
                          : EulerConvention::rpy;
  settings.task = task_of(options.task, arm);
  if (options.frame) settings.frame = frame_called(arm, *options.frame);
  if (options.wrench) settings.wrench = wrench_of(*options.wrench);
  if (options.kernels.kernels && *options.kernels.kernels != "none" && (settings.lagrange || settings.wrench))
    throw Error("--kernels are functions without --wrench and without another --method", "leave one of them out");
  if (settings.angles && settings.frame)
    throw Error("--representation is of the tool, not of another --frame", "leave one of them out");
  if (settings.lagrange && settings.wrench)
    throw Error("--method lagrange takes no --wrench", "leave --method out: Newton-Euler takes one");
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

}  // namespace armature
