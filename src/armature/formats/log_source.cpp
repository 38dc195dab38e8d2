#include "armature/formats/log_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "armature/core/text.hpp"
#include "armature/formats/byte_source.hpp"
#include "armature/formats/file_kind.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "armature/formats/rosbag_db3.hpp"
#include "armature/formats/text_file.hpp"

namespace armature::formats {

namespace {

/// The rows of a log in memory.
class HeldLog : public LogSource {
 public:
  HeldLog(Log log, std::string file_name, Missing missing)
      : LogSource(missing), log_(std::move(log)), file_name_(std::move(file_name)) {
    std::set<std::string> names{"time"};
    for (const Channel& channel : log_.channels) {
      check_name(channel.name);
      if (!names.insert(channel.name).second)
        throw FormatError(fmt::format("two channels are called '{}'", printable(channel.name)), "names must differ",
                          {file_name_});
      if (channel.values.size() != log_.time.size())
        throw FormatError(fmt::format("channel '{}' has {} values, the time has {}", printable(channel.name),
                                      channel.values.size(), log_.time.size()),
                          "every channel has one value per sample", {file_name_});
      columns_.push_back({channel.name, channel.unit});
      chosen_.push_back(chosen_.size());
    }
    title_ = log_.title;
    facts_ = log_.facts;
    events_ = log_.events;
    incomplete_ = log_.incomplete;
    if (!log_.time.empty() && clock_unit(log_.time.front()) > 0) {
      unit_ = clock_unit(log_.time.front());
      origin_ = log_.time.front();
      count_from(exact_text(origin_ * unit_) + " s");
    }
  }

  bool next(double& time, std::span<double> values) override {
    if (row_ == log_.time.size()) return false;
    const std::size_t k = row_++;
    time = (log_.time[k] - origin_) * unit_;
    check_time(time, k == 0, place());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const Channel& channel = log_.channels[chosen_[i]];
      values[i] = channel.values[k];
      if (std::isinf(values[i]) || (missing_ == Missing::refused && std::isnan(values[i])))
        throw FormatError(fmt::format("channel '{}' holds {}, which is not finite", printable(channel.name), values[i]),
                          "leave out rows with missing values", place());
    }
    return true;
  }

  [[nodiscard]] Place place() const override {
    return {row_ == 0 ? file_name_ : fmt::format("{}, sample {}", file_name_, row_)};
  }

 protected:
  void choose(const std::vector<std::size_t>& numbers) override { chosen_ = numbers; }
  [[nodiscard]] const std::string& file_name() const override { return file_name_; }

 private:
  void check_name(const std::string& name) const {
    const bool odd = std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (name.empty() || name.size() > 1000 || odd)
      throw FormatError(fmt::format("'{}' is no name of a channel", printable(name)),
                        "a name has 1 to 1000 letters and no line ends", {file_name_});
    check_text(name, file_name_, 1000);  // UTF-8
  }

  Log log_;
  std::string file_name_;
  double origin_ = 0, unit_ = 1;  // of the stamps, where they are those of a clock
  std::vector<std::size_t> chosen_;
  std::size_t row_ = 0;  // the next one
};

}  // namespace

void LogSource::select(const std::vector<std::string>& names) {
  std::vector<std::size_t> numbers;
  std::vector<std::string> missing, known;
  for (const LogColumn& column : columns_) known.push_back(column.name);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) missing.push_back("'" + printable(name) + "'");
    numbers.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  if (!missing.empty())
    throw FormatError(
        fmt::format("the log has no {} {}", missing.size() == 1 ? "channel" : "channels", fmt::join(missing, ", ")),
        suggestion(missing[0].substr(1, missing[0].size() - 2), known), {file_name()});
  choose(numbers);
}

double clock_unit(double stamp) {
  for (const double unit : {1.0, 1e-3, 1e-6, 1e-9})
    if (stamp * unit >= 1e9 && stamp * unit <= 4.2e9) return unit;  // from 2001 to 2103
  return 0;
}

void LogSource::check_time(double time, bool first, const Place& place) {
  if (missing_ == Missing::raw) return;
  if (!std::isfinite(time)) throw FormatError("the time is missing in this row", "every row has its time", place);
  if (!first && time <= last_time_)
    throw FormatError(fmt::format("the time {} s follows {} s", time, last_time_),
                      time == last_time_ ? "is a row repeated?" : "rows are in order of time; are two logs appended?",
                      place);
  last_time_ = time;
}

std::unique_ptr<LogSource> rows_of(Log log, std::string file_name, LogSource::Missing missing) {
  return std::make_unique<HeldLog>(std::move(log), std::move(file_name), missing);
}

std::unique_ptr<LogSource> open_log(const std::string& path, LogSource::Missing missing, const std::string& time) {
  const std::string_view name = path.ends_with(".xz") ? std::string_view(path).substr(0, path.size() - 3) : path;
  if (name.ends_with(".npz")) return rows_of(read_npz(*open_bytes(path), path), path, missing);
  if (name.ends_with(".mcap")) return rows_of(read_mcap(*open_bytes(path), path), path, missing);
  if (name.ends_with(".db3")) return rows_of(read_db3(*open_bytes(path), path), path, missing);
  return std::make_unique<LogReader>(path, missing, time);
}

Log read_log(const std::string& path, LogSource::Missing missing) {
  refuse_other_kinds(path, {FileKind::log}, "a log");
  return read_log(*open_log(path, missing));
}

Log read_log(LogSource& source) {
  Log log;
  for (const LogColumn& column : source.columns()) log.add(column.name, column.unit);
  std::vector<double> values(log.channels.size());
  for (double time = 0; source.next(time, values);) {
    if (log.time.size() >= most_held_numbers / (values.size() + 1))
      throw FormatError(fmt::format("has more than {} numbers", most_held_numbers),
                        "that is more than is held in memory: cut the log, or leave out columns", source.place());
    log.time.push_back(time);
    for (std::size_t i = 0; i < values.size(); ++i) log.channels[i].values.push_back(values[i]);
  }
  log.title = source.title();
  log.facts = source.facts();
  log.events = source.take_events();
  log.incomplete = source.incomplete();
  return log;
}

}  // namespace armature::formats
