#include "armature/run/excite_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/text_file.hpp"

namespace armature::run {

namespace {

constexpr double most_rows = 1e7;  // of a log: some gigabytes as a CSV

ParameterColumns columns_of(const ExciteChoice& choice, const Arm& arm) {
  ParameterColumns columns =
      choice.parameters.empty() ? base_columns(arm)
                                : columns_from_text(arm, read_text_file(choice.parameters, 1 << 20), choice.parameters);
  if (choice.friction) columns = with_friction(arm, std::move(columns));
  return choice.without.empty() ? columns : columns.without(split_words(choice.without));
}

void take(const VecX<double>& given, VecX<double>& limit) {
  if (given.size() > 0) limit = given;
}

ExcitationLimits::Box box_of(const std::vector<double>& b) {
  const ExcitationLimits::Box box{{b[0], b[2], b[4]}, {b[1], b[3], b[5]}};
  const Vec3<double> size = box.upper - box.lower;
  if (!size.array().isFinite().all() || (size.array() <= 0).any())
    throw Error("--workspace: a side of the box has no length", "xmin,xmax,ymin,ymax,zmin,zmax");
  return box;
}

void scale_by_words(const ExciteChoice& choice, ExcitationTask& task) {
  if (choice.scale.empty()) return;
  for (const std::string& word : split_words(choice.scale)) {
    if (word == "parameters")
      scale_by_parameters(task);
    else if (word != "torques")
      throw Error(fmt::format("--scale: there is no '{}'", printable(word)),
                  suggestion(word, {"parameters", "torques"}));
    else if (choice.noise.size() == 0)
      throw Error("--scale torques needs the standard deviation of each torque", "add --noise 0.5,0.2,0.1");
  }
}

}  // namespace

void ExciteChoice::fields(Fields& f) {
  f.numbers("harmonics", harmonics, dimension::none,
            "harmonics of the Fourier series, for all joints or one number per joint", 0, Range::positive);
  settings.fields(f);
  f.word("criterion", criterion, excitation_criteria(), "what is made best of the stacked regressor");
  f.text("parameters", parameters,
         "base parameters to design for, one per line as compute base-parameters prints them (default: those)");
  f.text("without", without, "parameters that are known and need no column");
  f.flag("friction", friction, "design for Coulomb friction, viscous friction and offsets too");
  f.text("scale", scale, "parameters: scale columns by the arm's values; torques: divide rows by the noise");
  f.joints("noise", noise, joint_dimension::torque, "standard deviation of each torque, by which rows are divided",
           Range::positive);
  f.joints("velocity", velocity, joint_dimension::velocity,
           "velocity limits, one value per joint or one for all (default: the arm's, else 90 deg/s or 250 mm/s)",
           Range::positive);
  f.joints("acceleration", acceleration, joint_dimension::acceleration,
           "acceleration limits (default: the arm's, else the velocity limit in 0.5 s)", Range::positive);
  f.joints("lower", lower, joint_dimension::position, "lower position limits (default: the arm's)");
  f.joints("upper", upper, joint_dimension::position, "upper position limits (default: the arm's)");
  f.joints("torque", torque, joint_dimension::torque, "torque limits (default: none)", Range::positive);
  f.flag("torque_limits", torque_limits, "keep within the arm's torque limits");
  f.numbers("workspace", workspace, dimension::length, "box in which the tool stays: xmin,xmax,ymin,ymax,zmin,zmax", 6);
  f.joints("centre", centre, joint_dimension::position, "posture about which the random starts move");
  f.integer("seed", seed, "seed of the random starts", Range::not_negative);
  f.integer("threads", threads, "number of threads, at most 256 (default: all cores); the result does not depend on it",
            Range::positive);
  f.integer("periods", periods, "number of periods in the log; at most 1e7 rows in all", Range::positive);
}

ExcitationTask excitation_task(const ExciteChoice& choice, const Arm& arm) {
  ExcitationTask task = identification::excitation_task(arm, columns_of(choice, arm));
  task.criterion = choice.criterion;
  ExcitationLimits& limits = task.limits;
  take(choice.velocity, limits.velocity);
  take(choice.acceleration, limits.acceleration);
  take(choice.lower, limits.lower);
  take(choice.upper, limits.upper);
  for (int i = 0; choice.torque_limits && i < arm.dof(); ++i) {
    const auto limit = arm.joint(i).limits.torque;
    if (!limit)
      throw Error(fmt::format("--torque-limits: joint '{}' has none in the arm's file", arm.joint(i).name),
                  "give them with --torque");
    limits.torque[i] = *limit;
  }
  take(choice.torque, limits.torque);
  if (!choice.workspace.empty()) limits.workspace = box_of(choice.workspace);
  take(choice.noise, task.torque_scale);
  scale_by_words(choice, task);
  if (choice.threads > 256)
    throw Error(fmt::format("--threads: {} is not a whole number from 1 to 256", choice.threads), "--threads 4");
  if (choice.threads > 0) task.threads = choice.threads;
  return task;
}

ExcitationSettings excitation_settings(const ExciteChoice& choice, const Arm& arm) {
  ExcitationSettings settings = choice.settings;
  for (const double n : choice.harmonics) {
    if (n != std::floor(n) || n > 1e9)
      throw Error(fmt::format("--harmonics: {} is not a whole number", n), "--harmonics 5");
    settings.joint_harmonics.push_back(static_cast<int>(n));
  }
  if (settings.joint_harmonics.size() != 1 && settings.joint_harmonics.size() != static_cast<std::size_t>(arm.dof()))
    throw Error(fmt::format("--harmonics has {} numbers", settings.joint_harmonics.size()),
                fmt::format("one for all joints, or one value per joint: {}", arm.dof()));
  settings.harmonics = *std::max_element(settings.joint_harmonics.begin(), settings.joint_harmonics.end());
  if (settings.joint_harmonics.size() == 1) settings.joint_harmonics.clear();
  settings.seed = static_cast<std::uint64_t>(choice.seed);
  settings.centre = choice.centre;
  if (const double rows = choice.periods * settings.rate / settings.base_frequency; !(rows <= most_rows))
    throw Error(
        fmt::format("{} periods at {:g} samples per second are {:.3g} rows", choice.periods, settings.rate, rows),
        fmt::format("at most {:g}: fewer --periods, or a lower --rate", most_rows));
  return settings;
}

}  // namespace armature::run
