// Logs on disk, row by row, whatever their format: CSV (log_csv.hpp), plain or packed with xz, NPZ (npz.hpp), MCAP (mcap.hpp)
// and bags of ROS 2 (.mcap, .db3: rosbag_db3.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/record/log.hpp"

namespace armature::formats {

/// A log that is held in memory as a whole has at most this many numbers, 2 GiB of them. Logs that are read row by row have no bound.
inline constexpr std::size_t most_held_numbers = std::size_t{1} << 28;

/// The fact that names the first stamp of a log whose stamps are those of a clock (seconds since 1970, or milli-, micro- or
/// nanoseconds): its times are counted from there.
inline constexpr const char* time_origin_fact = "time_origin";

/// What a stamp counts where its column says no unit, as far as its size tells: seconds since 1970 in units of 1, 1e-3, 1e-6 or 1e-9 s.
/// 0 where it is none of them.
double clock_unit(double stamp);

/// A channel without its values.
struct LogColumn {
  std::string name;
  std::string unit;
  friend bool operator==(const LogColumn&, const LogColumn&) = default;
};
using LogFacts = std::vector<std::pair<std::string, std::string>>;

class LogSource {
 public:
  enum class Missing {
    allowed,  ///< a value may be missing (NaN); every row has its time, and times increase
    refused,  ///< no value may be missing
    raw       ///< as recorded: stamps may be missing too (NaN), repeat or go back (record/resample.hpp)
  };
  explicit LogSource(Missing missing = Missing::allowed) : missing_(missing) {}
  virtual ~LogSource() = default;
  LogSource(const LogSource&) = delete;
  LogSource& operator=(const LogSource&) = delete;

  /// All channels but the time, in the order of the file.
  [[nodiscard]] const std::vector<LogColumn>& columns() const { return columns_; }
  /// Chooses the channels that next() delivers, by name and in this order. Throws FormatError that names the missing ones.
  /// Without it all are delivered.
  void select(const std::vector<std::string>& names);

  /// Reads the next row; false at the end. Throws FormatError with the place at a value that is no number and where the time [s]
  /// does not increase.
  virtual bool next(double& time, std::span<double> values) = 0;

  [[nodiscard]] const std::string& title() const { return title_; }
  /// Those met so far: the ones above the first row at once, all after the last row.
  [[nodiscard]] const LogFacts& facts() const { return facts_; }
  /// The events met since the last call.
  [[nodiscard]] std::vector<LogEvent> take_events() { return std::exchange(events_, {}); }
  /// After the last row: why the log ends early; empty for a complete one.
  [[nodiscard]] const std::string& incomplete() const { return incomplete_; }
  /// Where the row delivered last stands.
  [[nodiscard]] virtual Place place() const = 0;

 protected:
  /// Chooses channels by their numbers.
  virtual void choose(const std::vector<std::size_t>& numbers) = 0;
  [[nodiscard]] virtual const std::string& file_name() const = 0;
  /// Throws FormatError unless `time` is finite and follows that of the row before, or rows are read as recorded.
  void check_time(double time, bool first, const Place& place);
  /// Notes in the facts that times are counted from `stamp`, the first of the file.
  void count_from(const std::string& stamp) { facts_.emplace_back(time_origin_fact, stamp); }

  std::vector<LogColumn> columns_;
  std::string title_, incomplete_;
  LogFacts facts_;
  std::vector<LogEvent> events_;
  Missing missing_;
  double last_time_ = 0;
};

/// The log at `path`, or the standard input as CSV where `path` is "-". The name says the format: .npz, .mcap, .db3, anything else is CSV;
/// .xz behind it is unpacked. `time` names the column of the time where it has another name than usual. Throws FormatError.
std::unique_ptr<LogSource> open_log(const std::string& path, LogSource::Missing missing = LogSource::Missing::allowed,
                                    const std::string& time = {});

/// The rows of a log that somebody else has read; `file_name` is its name in messages. Throws FormatError for names that no log can
/// have.
std::unique_ptr<LogSource> rows_of(Log log, std::string file_name,
                                   LogSource::Missing missing = LogSource::Missing::allowed);

/// The whole log. Throws FormatError.
Log read_log(const std::string& path, LogSource::Missing missing = LogSource::Missing::allowed);
Log read_log(LogSource& source);

}  // namespace armature::formats
