#include "armature/run/measured_wrench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/table.hpp"
#include "armature/record/resample.hpp"

namespace armature::run {

namespace {

constexpr double rest_interval = 0.1;                              // [s] from row to row: the arm stands still in each
constexpr std::size_t most_wrench_numbers = std::size_t{1} << 26;  // held in memory
constexpr double widest_turn = 5 * pi;  // [rad] of a joint; beyond it positions are in degrees

bool is_table(const std::string& path) {
  return !path.ends_with(".npz") && !path.ends_with(".mcap") && !path.ends_with(".db3");
}

std::vector<LogColumn> columns_of(const TableReader& table) {
  std::vector<LogColumn> all;
  for (const std::string& heading : table.columns()) all.push_back(column_of_heading(heading));
  return all;
}

/// The rows of a table without a time, counted from 0.
std::unique_ptr<LogSource> numbered_rows(const std::string& path) {
  TableReader table(path, {.missing_numbers = true, .recorded = true});
  Log log;
  for (const LogColumn& c : columns_of(table)) log.add(c.name, c.unit);
  table.select(table.columns());
  std::vector<double> row(table.columns().size());
  while (table.next(row)) {
    log.time.push_back(static_cast<double>(log.time.size()));
    for (std::size_t c = 0; c < row.size(); ++c) log.channels[c].values.push_back(row[c]);
    if (log.time.size() * row.size() > most_wrench_numbers)
      throw FormatError("the table is too long", "one row a posture", table.place());
  }
  return rows_of(std::move(log), path, LogSource::Missing::raw);
}

double unit_in_si(const LogSource& source, const std::string& name, Dimension wanted) {
  for (const LogColumn& column : source.columns())
    if (column.name == name && !column.unit.empty()) try {
        return parse_quantity("1 " + column.unit, wanted);
      } catch (const FormatError&) {
        throw FormatError(
            fmt::format("column '{}' is given in '{}'", printable(name), printable(column.unit)),
            wanted == Dimension{} ? "expected rad or deg" : "expected something like " + to_string(wanted),
            {source.place().file});
      }
  return 1;
}

/// Which columns are read: positions, then the wrench.
std::vector<std::string> wanted_columns(const LogSource& source, const Arm& arm, const LogMap& map,
                                        const std::string& path) {
  if (map.positions == LogMap::Side::motor)
    throw FormatError("the map names positions of motors", "a sensor's log is read with the joints' positions", {path});
  std::vector<std::string> joints, names = map.position;
  for (int i = 0; i < arm.dof(); ++i) joints.push_back(arm.joint(i).name);
  if (names.empty()) {
    const GuessedColumns g = guess_columns(source.columns(), arm.dof(), joints);
    if (!g.motor_positions) names = g.position;
  }
  std::vector<std::string> known;
  for (const LogColumn& c : source.columns()) known.push_back(c.name);
  const std::string hint = fmt::format(
      "the file has {}; other names are given in a map (--map): position: q{{}}, wrench: "
      "[fx, fy, fz, tx, ty, tz]",
      printable(fmt::format("{}", fmt::join(known, ", ")), 300));
  if (names.empty())
    throw FormatError(fmt::format("there are no positions of {} joints: q1 to q{}", arm.dof(), arm.dof()), hint,
                      {path, 1});
  const std::vector<std::string> wrench = map.wrench.empty() ? guess_wrench_columns(source.columns()) : map.wrench;
  if (wrench.empty())
    throw FormatError("there are no columns of a force/torque sensor: fx, fy, fz, tx, ty, tz", hint, {path, 1});
  names.insert(names.end(), wrench.begin(), wrench.end());
  return names;
}

/// One file, as it stands in it, in SI.
struct WrenchRows {
  std::vector<double> stamps, values;
  std::vector<std::string> columns;
  bool timed = true;
};

WrenchRows read_rows(const std::string& path, const Arm& arm, const LogMap& map) {
  const bool table = is_table(path) && map.time.empty();
  const bool timed = !table || has_time_column(TableReader(path, {.recorded = true}).columns());
  const std::unique_ptr<LogSource> source =
      timed ? open_log(path, LogSource::Missing::raw, map.time) : numbered_rows(path);
  WrenchRows rows{{}, {}, wanted_columns(*source, arm, map, path), timed};
  std::vector<double> factor, row(rows.columns.size());
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const int part = static_cast<int>(c) - arm.dof();
    const Dimension d = part >= 3                                ? dimension::torque
                        : part >= 0                              ? dimension::force
                        : arm.body(static_cast<int>(c)).revolute ? dimension::angle
                                                                 : dimension::length;
    factor.push_back(unit_in_si(*source, rows.columns[c], d));
  }
  source->select(rows.columns);
  double time = 0;
  while (source->next(time, row)) {
    rows.stamps.push_back(time);
    for (std::size_t c = 0; c < row.size(); ++c) {
      rows.values.push_back(row[c] * factor[c]);
      const int joint = static_cast<int>(c);
      if (joint < arm.dof() && arm.body(joint).revolute && std::abs(rows.values.back()) > widest_turn)
        throw FormatError(
            fmt::format("column '{}': joint {} at {:.4g} rad", rows.columns[c], joint + 1, rows.values.back()),
            fmt::format("is it in degrees? write the unit into the header: {} [deg]", rows.columns[c]),
            source->place());
    }
    if (rows.values.size() > most_wrench_numbers)
      throw FormatError("the log is longer than what is held in memory", "cut it: minutes are enough", source->place());
  }
  if (rows.stamps.empty()) throw FormatError("there are no rows", "one row a sample", {path});
  return rows;
}

/// Complete rows, each a posture.
WrenchLog postures_of(const Samples& values, int joints) {
  WrenchLog log;
  std::vector<Eigen::Index> complete;
  for (Eigen::Index k = 0; k < values.rows(); ++k)
    if (values.row(k).allFinite()) complete.push_back(k);
  const auto count = static_cast<Eigen::Index>(complete.size());
  log.q.resize(count, joints);
  log.wrench.resize(count, wrench_channels);
  for (Eigen::Index k = 0; k < count; ++k) {
    log.q.row(k) = values.row(complete[k]).head(joints);
    log.wrench.row(k) = values.row(complete[k]).tail(wrench_channels);
  }
  return log;
}

void add_file(const std::string& path, const Arm& arm, const LogMap& map, MeasuredWrench& measured) {
  WrenchRows rows = read_rows(path, arm, map);
  const int n = arm.dof(), run = measured.logs.empty() ? 0 : measured.logs.back().run + 1;
  std::copy(rows.columns.begin() + n, rows.columns.end(), measured.channels.begin());
  const std::string in = fmt::format("{}: ", printable(path));
  measured.notes.push_back(fmt::format("{}positions {}; sensor {}.", in,
                                       columns_text({rows.columns.begin(), rows.columns.begin() + n}),
                                       columns_text({rows.columns.begin() + n, rows.columns.end()})));
  const Eigen::Map<const Samples> values(rows.values.data(), static_cast<Eigen::Index>(rows.stamps.size()),
                                         static_cast<Eigen::Index>(rows.columns.size()));
  const double interval = rows.timed && rows.stamps.size() > 1 ? typical_interval(rows.stamps) : 0;
  if (!rows.timed || interval >= rest_interval) {
    WrenchLog log = postures_of(values, n);
    log.run = run;
    measured.notes.push_back(
        rows.timed ? fmt::format("{}rows are {:.3g} s apart: {} postures in which the arm stands still.", in, interval,
                                 log.q.rows())
                   : fmt::format("{}no time: {} postures in which the arm stands still.", in, log.q.rows()));
    measured.logs.push_back(std::move(log));
    return;
  }
  const Resampling r = resample(rows.stamps, values, n);
  if (const std::string done = describe(r); !done.empty()) measured.notes.push_back(in + done + ".");
  for (const LogSegment& segment : r.segments)
    measured.logs.push_back({segment.start, r.step, segment.values.leftCols(n),
                             segment.values.rightCols(wrench_channels), run + segment.restarts});
}

}  // namespace

MeasuredWrench read_wrench(const std::vector<std::string>& paths, const Arm& arm, const LogMap& map) {
  MeasuredWrench measured;
  for (const std::string& path : paths) {
    try {
      add_file(path, arm, map, measured);
    } catch (const FormatError&) {
      throw;
    } catch (const Error& error) {
      throw FormatError(error.finding(), error.hint(), {path});
    }
  }
  const bool postures = measured.logs.front().step == 0;
  for (const WrenchLog& log : measured.logs)
    if ((log.step == 0) != postures)
      throw FormatError("some files hold postures, others motions", "calibrate from one kind at a time",
                        {paths.front()});
  return measured;
}

bool holds_wrench(const std::string& path) {
  if (!is_table(path)) return true;
  return !guess_wrench_columns(columns_of(TableReader(path, {.recorded = true}))).empty();
}

}  // namespace armature::run
