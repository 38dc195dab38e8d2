#include "armature/run/log_scene.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/simulation/scene.hpp"

namespace armature::run {

namespace {

/// Columns of the positions, one per joint or motor.
LogMap with_positions(LogMap map, const Log& log, const Arm& arm, const std::string& file) {
  std::vector<LogColumn> columns;
  for (const Channel& channel : log.channels) columns.push_back({channel.name, channel.unit});
  std::vector<std::string> names;
  for (int i = 0; i < arm.dof(); ++i) names.push_back(arm.joint(i).name);
  const GuessedColumns guess = guess_columns(columns, arm.dof(), names);
  if (map.position.empty()) {
    map.position = guess.position;
    if (guess.motor_positions) map.positions = LogMap::Side::motor;
  }
  if (map.reference.empty()) map.reference = guess.reference;
  if (map.position.empty())
    throw FormatError(fmt::format("has no positions of the {} joints of arm '{}'", arm.dof(), printable(arm.name())),
                      "name the columns in a map: `position: q{}` in a file for --map (docs/logs.md)", {file});
  for (const std::string& name : map.position)
    if (!log.has(name))
      throw FormatError(fmt::format("has no column '{}'", printable(name)), "the map names columns as the log does",
                        {file});
  return map;
}

/// What one unit of the channel is in rad or m.
double position_factor(const Channel& channel, const LogMap& map, bool turns, const std::string& file) {
  const std::string unit = channel.unit.empty() ? map.position_unit : channel.unit;
  if (unit.empty()) return 1;
  try {
    return parse_quantity("1 " + unit, turns ? dimension::angle : dimension::length);
  } catch (const FormatError&) {
    throw FormatError(fmt::format("column '{}' is given in '{}'", printable(channel.name), printable(unit)),
                      turns ? "angles are in rad or deg" : "lengths are in m or mm", {file});
  }
}

/// The positions of joints in rad or m: channels of the log as they are, or new ones called `prefix`1, ...
std::vector<std::string> joint_channels(Log& log, const Arm& arm, const LogMap& map,
                                        const std::vector<std::string>& columns, const std::string& suffix,
                                        const std::string& file) {
  const int n = arm.dof();
  const bool motors = map.positions == LogMap::Side::motor;
  Eigen::MatrixXd to_joint = Eigen::MatrixXd::Identity(n, n);
  if (motors) {
    Eigen::MatrixXd NC = arm.couplings();
    for (int i = 0; i < n; ++i) NC.row(i) *= arm.joint(i).drive.gear_ratio.value_or(1);
    to_joint = inverse(NC);
  }
  bool as_they_are = !motors && std::all_of(map.offset.begin(), map.offset.end(), [](double x) { return x == 0; });
  for (int i = 0; i < n; ++i) {
    const double factor = position_factor(log.channel(columns[i]), map, motors || arm.body(i).revolute, file);
    to_joint.col(i) *= factor;
    as_they_are = as_they_are && factor == 1;
  }
  if (as_they_are) return columns;
  Eigen::MatrixXd values(log.time.size(), n);
  for (int i = 0; i < n; ++i) {
    const std::vector<double>& column = log.channel(columns[i]).values;
    values.col(i) = Eigen::Map<const Eigen::VectorXd>(column.data(), values.rows());
  }
  values = (values * to_joint.transpose()).eval();
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) {
    std::string name = fmt::format("q{}{}", i + 1, suffix);
    while (log.has(name)) name += "_arm";
    Channel& channel = log.add(name, arm.body(i).revolute ? "rad" : "m");
    const double offset = static_cast<std::size_t>(i) < map.offset.size() ? map.offset[i] : 0;
    channel.values.assign(log.time.size(), 0);
    Eigen::Map<Eigen::VectorXd>(channel.values.data(), values.rows()) = values.col(i).array() + offset;
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void add_measured_scene(Log& log, const Arm& arm, const LogMap& given, const std::string& file) {
  const LogMap map = with_positions(given, log, arm, file);
  const std::vector<std::string> joints = joint_channels(log, arm, map, map.position, "", file);
  std::vector<std::string> wanted;
  const bool known = map.reference.size() == joints.size() &&
                     std::all_of(map.reference.begin(), map.reference.end(), [&](const auto& r) { return log.has(r); });
  if (known) wanted = joint_channels(log, arm, map, map.reference, "_ref", file);
  add_scene(log, arm);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    log.scene[i + 1].joint = joints[i];
    log.scene[i + 1].reference = wanted.empty() ? "" : wanted[i];
  }
}

}  // namespace armature::run
