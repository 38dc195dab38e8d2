// Logs on disk, row by row, whatever their format: CSV (log_csv.hpp), plain or packed with xz, NPZ (npz.hpp) and MCAP (mcap.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/record/log.hpp"

namespace armature {

/// A log that is held in memory as a whole has at most this many numbers, 2 GiB of them. Logs that are read row by row have no bound.
inline constexpr std::size_t most_held_numbers = std::size_t{1} << 28;

/// A channel without its values.
struct LogColumn {
  std::string name;
  std::string unit;
  friend bool operator==(const LogColumn&, const LogColumn&) = default;
};
using LogFacts = std::vector<std::pair<std::string, std::string>>;

class LogSource {
 public:
  enum class Missing { allowed, refused };
  LogSource() = default;
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
  /// Throws FormatError unless `time` is finite and follows that of the row before.
  void check_time(double time, bool first, const Place& place);

  std::vector<LogColumn> columns_;
  std::string title_, incomplete_;
  LogFacts facts_;
  std::vector<LogEvent> events_;
  double last_time_ = 0;
};

/// The log at `path`, or the standard input as CSV where `path` is "-". The name says the format: .npz, .mcap, anything else is CSV;
/// .xz behind it is unpacked. Throws FormatError.
std::unique_ptr<LogSource> open_log(const std::string& path, LogSource::Missing missing = LogSource::Missing::allowed);

/// The rows of a log that somebody else has read; `file_name` is its name in messages. Throws FormatError for names that no log can
/// have.
std::unique_ptr<LogSource> rows_of(Log log, std::string file_name,
                                   LogSource::Missing missing = LogSource::Missing::allowed);

/// The whole log. Throws FormatError.
Log read_log(const std::string& path, LogSource::Missing missing = LogSource::Missing::allowed);
Log read_log(LogSource& source);

}  // namespace armature
