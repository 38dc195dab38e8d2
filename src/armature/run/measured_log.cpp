#include "armature/run/measured_log.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/formats/yaml.hpp"
#include "armature/scalar/decompositions.hpp"

namespace armature {

namespace {

std::vector<std::string> names_of(const Yaml& value, const std::string& what, int dof) {
  std::vector<std::string> names;
  if (value.kind == Yaml::Kind::list) {
    for (const Yaml& item : list_of(value, what)) names.push_back(text_of(item, what));
  } else {
    const std::string pattern = text_of(value, what);
    const std::size_t hole = pattern.find("{}");
    if (hole == std::string::npos && dof > 1)
      throw FormatError(fmt::format("{} '{}' is one name for {} joints", what, printable(pattern), dof),
                        "write {} where the joint's number goes, or a list", value.place);
    for (int i = 1; i <= dof; ++i)
      names.push_back(
          hole == std::string::npos ? pattern : pattern.substr(0, hole) + std::to_string(i) + pattern.substr(hole + 2));
  }
  if (names.size() != static_cast<std::size_t>(dof))
    throw FormatError(fmt::format("{} has {} names", what, names.size()), fmt::format("one a joint: {}", dof),
                      value.place);
  return names;
}

LogMap::Side side_of(const Yaml& value, const char* what) {
  return choice_of(value, what, {"joint", "motor"}) == 0 ? LogMap::Side::joint : LogMap::Side::motor;
}

/// What one unit of a column is in SI. Throws FormatError naming the column.
double factor_of(const LogSource& reader, const std::string& name, const std::string& usual, Dimension wanted,
                 Dimension also) {
  std::string unit;
  for (const LogColumn& column : reader.columns())
    if (column.name == name) unit = column.unit;
  if (unit.empty()) unit = usual;
  if (unit.empty()) return 1;
  try {
    return parse_quantity("1 " + unit, wanted);
  } catch (const FormatError&) {
  }
  try {
    return parse_quantity("1 " + unit, also);
  } catch (const FormatError&) {
    throw FormatError(
        fmt::format("column '{}' is given in '{}'", printable(name), printable(unit)),
        fmt::format("expected something like {}", to_string(wanted).empty() ? "rad or deg" : to_string(wanted)),
        {reader.place().file});
  }
}

}  // namespace

LogMap parse_log_map(std::string_view text, const std::string& file, const Arm& arm) {
  const Yaml yaml = parse_yaml(text, file);
  YamlMap m(yaml, "the map");
  LogMap map;
  const int n = arm.dof();
  if (const Yaml* v = m.find("side")) map.positions = map.torques = side_of(*v, "the side");
  if (const Yaml* v = m.find("position_side")) map.positions = side_of(*v, "the side of the positions");
  if (const Yaml* v = m.find("torque_side")) map.torques = side_of(*v, "the side of the torques");
  map.position = names_of(m.at("position"), "position", n);
  if (const Yaml* v = m.find("velocity")) map.velocity = names_of(*v, "velocity", n);
  if (const Yaml* v = m.find("reference")) map.reference = names_of(*v, "reference", n);
  const Yaml* torque = m.find("torque");
  const Yaml* current = m.find("current");
  if ((torque == nullptr) == (current == nullptr))
    throw FormatError("the map names torques and currents, or neither", "one of `torque` and `current`", yaml.place);
  map.currents = current != nullptr;
  map.torque = names_of(torque != nullptr ? *torque : *current, map.currents ? "current" : "torque", n);
  if (const Yaml* v = m.find("torque_scale"))
    map.torque_scale = quantities_of(*v, "torque_scale", {"", dimension::none}, static_cast<std::size_t>(n));
  if (const Yaml* v = m.find("offset")) {
    const std::vector<Yaml>& list = list_of(*v, "offset");
    if (list.size() != static_cast<std::size_t>(n))
      throw FormatError(fmt::format("offset has {} numbers", list.size()), fmt::format("one a joint: {}", n), v->place);
    for (int i = 0; i < n; ++i) {
      const bool turns = arm.body(i).revolute;
      map.offset.push_back(quantity_of(
          list[static_cast<std::size_t>(i)], "offset",
          turns ? FileUnit{"rad", dimension::angle, 4 * pi, "deg"} : FileUnit{"m", dimension::length, 20, "mm"}));
    }
  }
  if (const Yaml* v = m.find("units")) {
    YamlMap units(*v, "units");
    if (const Yaml* u = units.find("position")) map.position_unit = text_of(*u, "the unit of positions");
    if (const Yaml* u = units.find("velocity")) map.velocity_unit = text_of(*u, "the unit of velocities");
    if (const Yaml* u = units.find("torque")) map.torque_unit = text_of(*u, "the unit of torques");
    units.finish();
  }
  m.finish();
  if (map.currents && map.torque_scale.empty())
    for (int i = 0; i < n; ++i) {
      if (!arm.joint(i).drive.torque_constant)
        throw FormatError(fmt::format("the log has currents, but joint '{}' has no torque constant", arm.joint(i).name),
                          "give drive.torque_constant in the arm file, or torque_scale in the map", {file});
      map.torque_scale.push_back(*arm.joint(i).drive.torque_constant);
    }
  return map;
}

LogMap read_log_map(const std::string& path, const Arm& arm) {
  const std::string text = read_text_file(path, largest_yaml);
  check_text(text, path, largest_yaml);
  return parse_log_map(without_byte_order_mark(text), path, arm);
}

LogMap usual_map(const Arm& arm, const std::vector<LogColumn>& columns, const std::string& file) {
  const int n = arm.dof();
  const auto has = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const LogColumn& c) { return c.name == name; });
  };
  const auto numbered = [&](const std::string& stem, const std::string& tail = "") {
    std::vector<std::string> names;
    for (int i = 1; i <= n; ++i) names.push_back(stem + std::to_string(i) + tail);
    return names;
  };
  const auto all = [&](const std::vector<std::string>& names) { return std::all_of(names.begin(), names.end(), has); };
  LogMap map;
  map.position = numbered("q");
  if (has("q" + std::to_string(n + 1)))
    throw FormatError(fmt::format("the log has a column 'q{}', but '{}' has {} joints", n + 1, arm.name(), n),
                      "is this the log of another arm? A map says which columns count: --map", {file, 1});
  for (const char* stem : {"v", "qd", "dq"})
    if (map.velocity.empty() && all(numbered(stem))) map.velocity = numbered(stem);
  map.torque = numbered("tau");
  std::vector<std::string> by_joint;
  for (int i = 0; i < n; ++i) by_joint.push_back("torque_" + arm.joint(i).name);
  if (!all(map.torque)) {
    if (all(numbered("torque"))) map.torque = numbered("torque");
    if (all(by_joint)) map.torque = by_joint;
  }
  for (const auto& names : {numbered("q_ref"), numbered("q", "_ref")})
    if (all(names)) map.reference = names;
  std::vector<std::string> missing, known;
  for (const auto* names : {&map.position, &map.torque})
    for (const std::string& name : *names)
      if (!has(name)) missing.push_back(name);
  for (const LogColumn& c : columns) known.push_back(c.name);
  if (!missing.empty())
    throw FormatError(fmt::format("the column '{}' is missing{}", missing.front(),
                                  missing.size() > 1 ? fmt::format(", and {} more: {}", missing.size() - 1,
                                                                   fmt::join(missing.begin() + 1, missing.end(), ", "))
                                                     : ""),
                      fmt::format("the log has {}. Other names are given in a map: --map",
                                  printable(fmt::format("{}", fmt::join(known, ", ")), 200)),
                      {file, 1});
  return map;
}

std::unique_ptr<LogSource> MeasuredLog::open() const { return open_log(path_, LogSource::Missing::refused); }

MeasuredLog::MeasuredLog(std::string path, const Arm& arm, const LogMap* map) : path_(std::move(path)), arm_(arm) {
  const std::unique_ptr<LogSource> reader = open();
  map_ = map != nullptr ? *map : usual_map(arm, reader->columns(), path_);
  for (int i = 0; i < arm.dof(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool turns = arm.body(i).revolute || map_.positions == LogMap::Side::motor;
    const bool torque_turns = arm.body(i).revolute || map_.torques == LogMap::Side::motor;
    const Dimension length = turns ? dimension::angle : dimension::length,
                    speed = turns ? dimension::rate : dimension::speed;
    position_factor_.push_back(factor_of(*reader, map_.position[k], map_.position_unit, length, length));
    if (has_velocities())
      velocity_factor_.push_back(factor_of(*reader, map_.velocity[k], map_.velocity_unit, speed, speed));
    if (has_reference())
      reference_factor_.push_back(factor_of(*reader, map_.reference[k], map_.position_unit, length, length));
    const bool scaled = !map_.torque_scale.empty();
    const Dimension torque = torque_turns ? dimension::torque : dimension::force, ampere{0, 0, 0, 1},
                    volt{2, 1, -3, -1};
    const double factor =
        scaled ? factor_of(*reader, map_.torque[k], map_.torque_unit, ampere, map_.currents ? ampere : volt)
               : factor_of(*reader, map_.torque[k], map_.torque_unit, torque, torque);
    torque_factor_.push_back(factor * (scaled ? map_.torque_scale[k] : 1));
  }
  const auto all_torques = [&](const auto& are) { return std::all_of(map_.torque.begin(), map_.torque.end(), are); };
  const bool ours = all_torques([](const std::string& name) { return name.starts_with("tau"); });
  const bool read = all_torques([](const std::string& name) { return name.ends_with("_meas"); });
  for (const auto& [fact, value] : reader->facts())
    if (ours && fact == torque_hold_fact) torque_delay_ = (read ? 0.5 : -0.5) * parse_double(value).value_or(0);
  std::vector<std::string> wanted = map_.position;
  wanted.insert(wanted.end(), map_.torque.begin(), map_.torque.end());
  reader->select(wanted);
  std::vector<double> values(wanted.size()), times;
  double time = 0;
  while (times.size() < 400 && reader->next(time, values)) times.push_back(time);
  step_ = usual_step(times, reader->place());
  start_ = times.front();
}

LogColumnNames MeasuredLog::names() const { return {"time", map_.position, map_.velocity, map_.torque}; }

//     motor angles = N C q (N: gears, C: couplings), joint torques = C' N motor torques
void MeasuredLog::for_each(const std::function<void(const Row&)>& each, bool standing_joints) {
  const int n = arm_.dof();
  Eigen::MatrixXd NC = arm_.couplings();
  for (int i = 0; i < n; ++i) NC.row(i) *= arm_.joint(i).drive.gear_ratio.value_or(1);
  const Eigen::MatrixXd to_joint =
      map_.positions == LogMap::Side::motor ? inverse(NC) : Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd torque_to_joint =
      map_.torques == LogMap::Side::motor ? Eigen::MatrixXd(NC.transpose()) : Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd offset = Eigen::VectorXd::Zero(n);
  for (std::size_t i = 0; i < map_.offset.size(); ++i) offset[static_cast<Eigen::Index>(i)] = map_.offset[i];

  const std::unique_ptr<LogSource> reader = open();
  std::vector<std::string> wanted = map_.position;
  wanted.insert(wanted.end(), map_.torque.begin(), map_.torque.end());
  wanted.insert(wanted.end(), map_.velocity.begin(), map_.velocity.end());
  wanted.insert(wanted.end(), map_.reference.begin(), map_.reference.end());
  reader->select(wanted);
  std::vector<double> values(wanted.size());
  LogCheck check(arm_, names(), step_, standing_joints);
  Eigen::VectorXd q(n), qd(n), tau(n), raw(n), reference(n);
  Row row;
  row.q = q.data(), row.qd = has_velocities() ? qd.data() : nullptr, row.tau = tau.data(), row.raw_torque = raw.data();
  row.reference = has_reference() ? reference.data() : nullptr;
  rows_ = 0;
  while (reader->next(row.time, values)) {
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i), m = static_cast<std::size_t>(n);
      q[i] = values[k] * position_factor_[k];
      raw[i] = values[m + k];
      tau[i] = raw[i] * torque_factor_[k];
      if (has_velocities()) qd[i] = values[2 * m + k] * velocity_factor_[k];
      if (has_reference()) reference[i] = values[(has_velocities() ? 3 : 2) * m + k] * reference_factor_[k];
    }
    q = (to_joint * q + offset).eval();
    tau = (torque_to_joint * tau).eval();
    if (has_velocities()) qd = (to_joint * qd).eval();
    if (has_reference()) reference = (to_joint * reference + offset).eval();
    row.place = reader->place();
    if (!checked_) check.row(row);
    ++rows_;
    each(row);
  }
  if (!checked_) {
    check.finish();
    standing_ = check.standing();
    checked_ = true;
  }
}

}  // namespace armature
