#include "armature/campaign/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace armature::campaign {

namespace {

using Values = std::vector<double>;

/// Of those that are numbers; NaN where none is.
double largest_of_joints(const RunMetrics& m, double AxisMetrics::*what) {
  double most = std::nan("");
  for (const AxisMetrics& joint : m.joints)
    if (!std::isnan(joint.*what)) most = std::isnan(most) ? joint.*what : std::max(most, joint.*what);
  return most;
}

double largest_saturation(const RunResult& result) {
  double most = 0;
  for (const Saturation& motor : result.saturation) most = std::max(most, motor.share);
  return most;
}

/// The length of the force on the tool where it is longest; NaN where nothing can touch it.
double largest_force(const Log& log) {
  if (!log.has("force_x")) return std::nan("");
  const Values &x = log.channel("force_x").values, &y = log.channel("force_y").values,
               &z = log.channel("force_z").values;
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::hypot(x[i], y[i], z[i]));
  return most;
}

/// How near the joint comes to an end of its range, negative beyond; NaN where it has no end.
double limit_distance(const JudgedRun& run, int joint) {
  const Limits& limits = run.loaded.arm.joint(joint).limits;
  if (!limits.lower && !limits.upper) return std::nan("");
  double least = std::numeric_limits<double>::infinity();
  for (const double q : run.result.log.channel(fmt::format("q{}", joint + 1)).values) {
    if (limits.lower) least = std::min(least, q - *limits.lower);
    if (limits.upper) least = std::min(least, *limits.upper - q);
  }
  return least;
}

/// The smallest distance of a joint from the ends of its range, as a share of half the range.
double limit_margin(const JudgedRun& run) {
  double least = std::nan("");
  for (int i = 0; i < run.loaded.arm.dof(); ++i) {
    const Limits& limits = run.loaded.arm.joint(i).limits;
    if (!limits.lower || !limits.upper) continue;
    const double margin = limit_distance(run, i) / (0.5 * (*limits.upper - *limits.lower));
    least = std::isnan(least) ? margin : std::min(least, margin);
  }
  return least;
}

/// Largest |channel| over the joint's limit, of all joints that have one.
double share_of_limit(const JudgedRun& run, const char* channel, std::optional<double> Limits::*limit) {
  double most = std::nan("");
  for (int i = 0; i < run.loaded.arm.dof(); ++i) {
    const std::optional<double>& at = run.loaded.arm.joint(i).limits.*limit;
    if (!at) continue;
    if (std::isnan(most)) most = 0;
    for (const double x : run.result.log.channel(fmt::format("{}{}", channel, i + 1)).values)
      most = std::max(most, std::abs(x) / *at);
  }
  return most;
}

double tool_end(const RunMetrics& m) {
  if (m.tool.size() != 3) return std::nan("");
  return std::hypot(m.tool[0].end, m.tool[1].end, m.tool[2].end);
}

void add_joint(std::vector<Metric>& all, const Arm& arm, int i) {
  const bool turns = arm.body(i).revolute;
  const Dimension position = turns ? dimension::angle : dimension::length;
  const Dimension torque = turns ? dimension::torque : dimension::force;
  const std::string unit = turns ? "rad" : "m", effort = turns ? "N m" : "N";
  const std::string q = fmt::format("q{}", i + 1), tau = fmt::format("tau{}", i + 1);
  const std::string of = fmt::format("of joint '{}'", arm.joint(i).name);
  const auto axis = [i](double AxisMetrics::*what) {
    return [i, what](const JudgedRun& run) { return run.metrics.joints[i].*what; };
  };
  const auto add = [&](const std::string& name, Dimension d, const std::string& u, const std::string& help,
                       std::function<double(const JudgedRun&)> value) {
    all.push_back({name, d, u, help + " " + of, std::move(value), true});
  };
  add(q + "_rms", position, unit, "RMS error", axis(&AxisMetrics::rms));
  add(q + "_largest", position, unit, "largest error", axis(&AxisMetrics::largest));
  add(q + "_end", position, unit, "|error| at the end",
      [i](const JudgedRun& run) { return std::abs(run.metrics.joints[i].end); });
  add(q + "_settling", dimension::time, "s", "settling time", axis(&AxisMetrics::settling));
  add(q + "_overshoot", dimension::none, "", "overshoot, as a share of the move", axis(&AxisMetrics::overshoot));
  add(q + "_limit_distance", position, unit, "smallest distance from an end of its range",
      [i](const JudgedRun& run) { return limit_distance(run, i); });
  add(tau + "_rms", torque, effort, "RMS torque", axis(&AxisMetrics::effort));
  add(tau + "_peak", torque, effort, "largest torque", axis(&AxisMetrics::peak));
}

}  // namespace

std::vector<Metric> metrics_of_arm(const Arm& arm) {
  const auto of = [](double RunMetrics::*what) { return [what](const JudgedRun& run) { return run.metrics.*what; }; };
  const auto joints = [](double AxisMetrics::*what) {
    return [what](const JudgedRun& run) { return largest_of_joints(run.metrics, what); };
  };
  using D = Dimension;
  const D energy = dimension::torque;
  std::vector<Metric> all{
      {"tool_rms", dimension::length, "m", "RMS distance of the tool from its reference", of(&RunMetrics::tool_rms)},
      {"tool_largest", dimension::length, "m", "largest distance of the tool from its reference",
       of(&RunMetrics::tool_largest)},
      {"tool_end", dimension::length, "m", "distance of the tool from its reference at the end",
       [](const JudgedRun& run) { return tool_end(run.metrics); }},
      {"turn_rms", dimension::angle, "rad", "RMS angle of the tool from its reference", of(&RunMetrics::turn_rms)},
      {"turn_largest", dimension::angle, "rad", "largest angle of the tool from its reference",
       of(&RunMetrics::turn_largest)},
      {"settling", dimension::time, "s", "when the last joint has settled within 2 % of its move",
       joints(&AxisMetrics::settling)},
      {"overshoot", dimension::none, "", "largest overshoot of a joint, as a share of its move",
       joints(&AxisMetrics::overshoot)},
      {"effort", dimension::torque, "N m", "largest RMS torque of a joint", joints(&AxisMetrics::effort)},
      {"peak_torque", dimension::torque, "N m", "largest torque of a joint", joints(&AxisMetrics::peak)},
      {"energy", energy, "J", "energy that the motors supply", of(&RunMetrics::supplied)},
      {"dissipated", energy, "J", "energy that friction and damping take", of(&RunMetrics::dissipated)},
      {"saturation", dimension::none, "", "share of the time in which the motor that saturates most does so",
       [](const JudgedRun& run) { return largest_saturation(run.result); }},
      {"contact_force", dimension::force, "N", "largest force on the tool",
       [](const JudgedRun& run) { return largest_force(run.result.log); }},
      {"limit_margin", dimension::none, "",
       "smallest distance of a joint from the ends of its range, as a share of half the range", limit_margin},
      {"speed_share", dimension::none, "", "largest speed of a joint, as a share of its limit",
       [](const JudgedRun& run) { return share_of_limit(run, "v", &Limits::velocity); }},
      {"torque_share", dimension::none, "", "largest torque of a joint, as a share of its limit",
       [](const JudgedRun& run) { return share_of_limit(run, "tau", &Limits::torque); }}};
  for (int i = 0; i < arm.dof(); ++i) add_joint(all, arm, i);
  return all;
}

RunOutcome outcome_of(const RunResult& result) {
  if (!result.log.incomplete.empty()) return RunOutcome::ended_early;
  return result.unbalanced.empty() ? RunOutcome::complete : RunOutcome::unbalanced;
}

}  // namespace armature::campaign
