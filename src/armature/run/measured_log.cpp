#include "armature/run/measured_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::run {

namespace {

constexpr std::size_t first_rows = 400;  // from which the usual step is taken
constexpr std::size_t held_numbers = std::size_t{1}
                                     << 21;  // 16 MiB; longer logs that are regular are read again instead
constexpr double same_rate = 0.02;           // share by which the steps of logs may differ that are read together
constexpr double same_step = 1e-6;           // share by which they may differ without resampling
constexpr double pause = 1;                  // at least, between runs on the common axis [s]

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

/// Lets a sample point into a row of values: positions, torques, velocities, references.
void point(JointSample& sample, const double* values, int n, const LogMap& map) {
  sample.q = values;
  sample.tau = values + n;
  sample.qd = map.velocity.empty() ? nullptr : values + 2 * n;
  sample.reference = map.reference.empty() ? nullptr : values + (map.velocity.empty() ? 2 : 3) * n;
}

}  // namespace

/// The rows of a file, seen from the joints.
//     motor angles = N C q (N: gears, C: couplings), joint torques = C' N motor torques
class MeasuredLog::Rows {
 public:
  Rows(const std::string& path, const Arm& arm, const LogMap& given)
      : reader_(open_log(path, LogSource::Missing::raw, given.time)), n_(arm.dof()) {
    map_ = complete_map(given, arm, reader_->columns(), path);
    for (const auto* names : {&map_.position, &map_.torque, &map_.velocity, &map_.reference})
      names_.insert(names_.end(), names->begin(), names->end());
    find_factors(arm);
    reader_->select(names_);
    read_.resize(names_.size());
    values_.resize(names_.size());
    Eigen::MatrixXd NC = arm.couplings();
    for (int i = 0; i < n_; ++i) NC.row(i) *= arm.joint(i).drive.gear_ratio.value_or(1);
    if (map_.positions == LogMap::Side::motor) to_joint_ = inverse(NC);
    if (map_.torques == LogMap::Side::motor) torque_to_joint_ = NC.transpose();
    offset_ = Eigen::VectorXd::Zero(n_);
    for (std::size_t i = 0; i < map_.offset.size(); ++i) offset_[i] = map_.offset[i];
  }

  bool next() {
    if (!reader_->next(row.time, read_)) return false;
    for (std::size_t i = 0; i < read_.size(); ++i) values_[i] = read_[i] * factor_[i];
    const auto turn = [&](Eigen::Index first, const Eigen::MatrixXd& by) {
      if (by.size() > 0) values_.segment(first, n_) = (by * values_.segment(first, n_)).eval();
    };
    const Eigen::Index velocity = 2 * n_, reference = velocity + (map_.velocity.empty() ? 0 : n_);
    turn(0, to_joint_);
    turn(n_, torque_to_joint_);
    values_.head(n_) += offset_;
    if (!map_.velocity.empty()) turn(velocity, to_joint_);
    if (!map_.reference.empty()) {
      turn(reference, to_joint_);
      values_.segment(reference, n_) += offset_;
    }
    point(row, values_.data(), n_, map_);
    row.raw_torque = read_.data() + n_;
    row.place = reader_->place();
    return true;
  }

  [[nodiscard]] bool complete() const { return std::isfinite(row.time) && values_.allFinite(); }
  [[nodiscard]] const Eigen::VectorXd& values() const { return values_; }
  [[nodiscard]] const LogMap& map() const { return map_; }
  [[nodiscard]] const LogSource& reader() const { return *reader_; }
  /// Notes which column is missing most often, for a message.
  [[nodiscard]] std::string missing_now() const {
    const auto at = std::find_if(read_.begin(), read_.end(), [](double x) { return !std::isfinite(x); });
    return at == read_.end() ? "time" : names_[at - read_.begin()];
  }

  LogRow row;

 private:
  void find_factors(const Arm& arm) {
    const Dimension ampere{0, 0, 0, 1}, volt{2, 1, -3, -1};
    const bool motor = map_.positions == LogMap::Side::motor, scaled = !map_.torque_scale.empty();
    const auto each = [&](const std::vector<std::string>& names, const auto& factor) {
      for (std::size_t k = 0; k < names.size(); ++k) factor_.push_back(factor(static_cast<int>(k), names[k]));
    };
    const auto position = [&](int i, const std::string& name) {
      const Dimension d = arm.body(i).revolute || motor ? dimension::angle : dimension::length;
      return factor_of(*reader_, name, map_.position_unit, d, d);
    };
    each(map_.position, position);
    each(map_.torque, [&](int i, const std::string& name) {
      const bool turns = arm.body(i).revolute || map_.torques == LogMap::Side::motor;
      const Dimension torque = turns ? dimension::torque : dimension::force;
      if (!scaled) return factor_of(*reader_, name, map_.torque_unit, torque, torque);
      return map_.torque_scale[i] * factor_of(*reader_, name, map_.torque_unit, ampere, map_.currents ? ampere : volt);
    });
    each(map_.velocity, [&](int i, const std::string& name) {
      const Dimension d = arm.body(i).revolute || motor ? dimension::rate : dimension::speed;
      return factor_of(*reader_, name, map_.velocity_unit, d, d);
    });
    each(map_.reference, position);
  }

  std::unique_ptr<LogSource> reader_;
  LogMap map_;
  int n_;
  std::vector<std::string> names_;  // of the columns that are read
  std::vector<double> factor_;      // of each, to SI
  Eigen::MatrixXd to_joint_, torque_to_joint_;
  Eigen::VectorXd offset_;
  std::vector<double> read_;
  Eigen::VectorXd values_;
};

/// One pass over a file.
struct MeasuredLog::Pass {
  std::vector<double> stamps, values;  // of all rows; empty where they were let go
  Eigen::Index width = 0;              // values per row
  bool regular = true;                 // every row complete, every interval the usual one
  bool let_go = false;
  double start = 0, end = 0;  // stamps of the first and the last row [s]
  std::string often_missing;  // a column with missing values

  /// Rows are kept as long as there are few, and all of them once they have to be resampled.
  Pass(Rows& rows, double step, std::size_t most_regular, LogCheck* check) : width(rows.values().size()) {
    bool first = true;
    while (rows.next()) {
      const double time = rows.row.time;
      const bool complete = rows.complete();
      if (!complete) often_missing = rows.missing_now();
      if (complete && check != nullptr) check->row(rows.row);
      regular =
          regular && complete && (first || std::abs(time - end - step) <= regular_share * step + 1e-9 * std::abs(time));
      if (first) start = time;
      if (std::isfinite(time)) end = time;
      first = false;
      const std::size_t size = values.size() + width;
      if (regular && size > most_regular) {
        let_go = true;
        values = {};
        stamps = {};
      }
      if (let_go) continue;
      if (size > most_held_numbers)
        throw FormatError(fmt::format("has uneven time stamps and more than {} numbers", most_held_numbers),
                          "that is more than is held in memory: cut the log", rows.row.place);
      stamps.push_back(time);
      values.insert(values.end(), rows.values().data(), rows.values().data() + width);
    }
  }
};

void MeasuredLog::read(const std::string& path, const MeasuredLogSettings& settings) {
  Rows rows(path, arm_, settings.map);
  std::vector<double> first;
  while (first.size() < first_rows && rows.next())
    if (std::isfinite(rows.row.time)) first.push_back(rows.row.time);
  const double usual = typical_step(first, rows.reader().place());
  File file{path, rows.map(), {}, {}, false};
  if (files_.empty()) {
    step_ = usual;
    velocities_ = !file.map.velocity.empty();
    reference_ = !file.map.reference.empty();
  } else if (std::abs(usual / step_ - 1) > same_rate)
    throw FormatError(
        fmt::format("is sampled at {}, '{}' at {}", rate_text(usual), printable(files_[0].path), rate_text(step_)),
        "logs of one rate are identified together", {path});
  if (velocities_ != !file.map.velocity.empty() || reference_ != !file.map.reference.empty())
    throw FormatError(fmt::format("has other columns than '{}': velocities or a reference in one of them only",
                                  printable(files_[0].path)),
                      "a map with `velocity: none` leaves them out", {path});
  LogCheck check(
      arm_, {file.map.time.empty() ? "time" : file.map.time, file.map.position, file.map.velocity, file.map.torque},
      usual, settings.standing_joints);
  Rows again(path, arm_, settings.map);
  Pass pass(again, usual, held_numbers, &check);
  check.finish();
  note_columns(again, file.map);
  if (const std::string& why = again.reader().incomplete(); !why.empty())
    notes_.push_back(fmt::format("{}The log ends early: {}.", several_ ? path + ": " : "", why));
  const std::vector<int> still = check.standing();
  if (files_.empty()) standing_ = still;
  std::erase_if(standing_, [&](int i) { return std::find(still.begin(), still.end(), i) == still.end(); });
  if (!pass.regular && pass.let_go) {
    Rows once_more(path, arm_, settings.map);
    pass = Pass(once_more, usual, most_held_numbers, nullptr);
  }
  const Eigen::Map<const Samples> values(pass.values.data(), pass.stamps.size(), pass.width);
  if (pass.regular && std::abs(usual / step_ - 1) < same_step) {
    file.streamed = pass.let_go;
    file.segments.push_back({pass.start, values, 0});
    file.end = pass.end;
  } else {
    try {
      Resampling r = resample(pass.stamps, values, arm_.dof(), files_.empty() ? 0 : step_);
      if (files_.empty()) step_ = r.step;
      if (const std::string done = describe(r); !done.empty())
        notes_.push_back((several_ ? path + ": " : "") + done + ".");
      file.segments = std::move(r.segments);
    } catch (const Error& error) {
      throw FormatError(
          error.finding(),
          error.hint() +
              (pass.often_missing.empty() ? "" : fmt::format("; column '{}' for one", printable(pass.often_missing))),
          {path});
    }
  }
  place_runs(file);
  files_.push_back(std::move(file));
}

/// Puts the segments of a file onto the common axis behind those before.
void MeasuredLog::place_runs(File& file) {
  for (const LogSegment& segment : file.segments) {
    const double end =
        file.streamed ? file.end : segment.start + static_cast<double>(segment.values.rows() - 1) * step_;
    if (file.runs.empty() || segment.restarts != file.segments[file.runs.size() - 1].restarts) {
      Run run{file.path, segment.start, end, 0};
      if (!runs_.empty()) run.shift = std::ceil(runs_.back().end + runs_.back().shift + pause - segment.start);
      runs_.push_back(run);
    }
    runs_.back().end = end;
    file.runs.push_back(runs_.size() - 1);
  }
}

/// What the first log says of its columns and torques.
void MeasuredLog::note_columns(const Rows& rows, const LogMap& map) {
  if (!files_.empty()) return;
  const auto has = [&](const std::string& name) {
    const auto& columns = rows.reader().columns();
    return std::any_of(columns.begin(), columns.end(), [&](const LogColumn& c) { return c.name == name; });
  };
  std::string text = fmt::format("Columns: positions {}", columns_text(map.position));
  if (!map.velocity.empty()) text += fmt::format(", velocities {}", columns_text(map.velocity));
  text += fmt::format(", {} {}", map.currents ? "currents" : "torques", columns_text(map.torque));
  if (!map.reference.empty()) text += fmt::format(", reference {}", columns_text(map.reference));
  for (const auto* names : {&map.position, &map.torque})
    if (const std::string& name = names->front(); name.ends_with("_meas") && has(name.substr(0, name.size() - 5))) {
      text += fmt::format(" (readings of the sensors, not {}, the simulated truth)", name.substr(0, name.size() - 5));
      break;
    }
  if (map.positions == LogMap::Side::motor || map.torques == LogMap::Side::motor)
    text += map.positions != map.torques ? fmt::format("; {} are those of the motors",
                                                       map.torques == LogMap::Side::motor ? "torques" : "positions")
                                         : "; all are those of the motors";
  notes_.push_back(text + ".");
  const auto all_torques = [&](const auto& are) { return std::all_of(map.torque.begin(), map.torque.end(), are); };
  const bool ours = all_torques([](const std::string& name) { return name.starts_with("tau"); });
  const bool read = all_torques([](const std::string& name) { return name.ends_with("_meas"); });
  for (const auto& [fact, value] : rows.reader().facts()) {
    if (ours && fact == torque_hold_fact) torque_delay_ = (read ? 0.5 : -0.5) * parse_double(value).value_or(0);
    if (fact == "note") notes_.push_back(printable(value, 300) + ".");
    if (fact == time_origin_fact)
      notes_.push_back(fmt::format("Times are counted from the first stamp, {}.", printable(value)));
  }
}

MeasuredLog::MeasuredLog(const std::vector<std::string>& paths, const Arm& arm, const MeasuredLogSettings& settings)
    : arm_(arm), map_(settings.map), several_(paths.size() > 1) {
  if (paths.empty()) throw Error("no log is given", "name one file or more");
  for (const std::string& path : paths) read(path, settings);
  for (std::size_t i = 1; i < runs_.size(); ++i)
    notes_.push_back(fmt::format("Run {} ({}) begins at {:g} s of what follows.", i + 1, printable(runs_[i].path),
                                 runs_[i].start + runs_[i].shift));
}

MotionSource MeasuredLog::source() const {
  MotionSource source;
  source.start = start();
  source.step = step_;
  source.velocities = velocities_;
  source.reference = reference_;
  source.for_each = [this](const MotionSource::Sample& sample) {
    for (const File& file : files_) {
      std::optional<Rows> rows;
      if (file.streamed) rows.emplace(file.path, arm_, map_);
      for (std::size_t s = 0; s < file.segments.size(); ++s) {
        const LogSegment& segment = file.segments[s];
        JointSample next;
        next.run = static_cast<int>(file.runs[s]);
        const double start = segment.start + runs_[file.runs[s]].shift;
        auto tell = [&, k = 0.0](const double* values) mutable {
          point(next, values, arm_.dof(), file.map);
          next.time = start + k * step_;
          next.begins = k == 0;
          ++k;
          sample(next);
        };
        if (file.streamed)
          while (rows->next()) tell(rows->values().data());
        else
          for (Eigen::Index k = 0; k < segment.values.rows(); ++k) tell(segment.values.row(k).data());
      }
    }
  };
  return source;
}

}  // namespace armature::run
