// Logs as CSV, written and read row by row: a log of any length needs the same memory.
//
//   # armature log: 1
//   # title: reach
//   # seed: 42                          a fact: key and value
//   time [s],q1 [rad],tau1 [N m]
//   0,0.1,0
//   # event: 0.0005; stick; joint 2     time, kind, detail
//   0.001,0.1,nan                       nan, or nothing: not recorded
//   # end: 2 rows                       or  # incomplete: why
//
// Numbers read back as exactly what was written. In comments a backslash stands before a character that would end its field;
// \n \r \t \0 and \s stand for line ends, tabs, zeros and outer blanks. Any table with a column of the time is a log too
// ("time [s]", "t", "timestamp", "time_ms", "%time", ...: see known_time_columns): its comments "key: value" are facts. Stamps of a
// clock, in seconds or nanoseconds since 1970, in both (sec, nanosec) or as dates (ISO 8601), are counted from the first row; the fact
// time_origin names it. Where somebody else's table breaks off in its last row, that row is left out and the log is incomplete.
// What does not run over time (tables, spectra, texts, the scene) is not part of this file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/formats/log_source.hpp"
#include "armature/formats/table.hpp"
#include "armature/record/log.hpp"

namespace armature::formats {

class LogWriter {
 public:
  /// Writes to an open file, which must outlive the writer; `file_name` is its name in messages. Throws Error for names
  /// that cannot stand in a header.
  LogWriter(std::FILE* file, std::string file_name, const std::string& title, const LogFacts& facts,
            std::span<const LogColumn> columns);

  /// One value per column. Throws Error where the time does not increase, or a number is infinite (NaN: not recorded).
  void row(double time, std::span<const double> values);
  void event(const LogEvent& event);
  /// Writes the last line and hands everything to the operating system. Without it a reader takes the log for incomplete.
  void finish(std::string_view incomplete = {});

 private:
  void comment(const std::string& text);

  TableWriter table_;
  std::string file_name_;
  std::vector<LogColumn> columns_;
  std::vector<double> numbers_;  // the row being written
  double last_time_ = 0;
  std::uint64_t rows_ = 0;
};

class LogReader : public LogSource {
 public:
  /// A stamp in its own unit, in two parts: clocks have more digits than a double.
  struct Stamp {
    std::int64_t whole = 0;
    double fraction = 0;
  };

  /// Opens the log at `path` as open_bytes() does (byte_source.hpp) and reads its header. Throws FormatError.
  /// `time` names the column of the time where it is none of the usual ones.
  explicit LogReader(const std::string& path, Missing missing = Missing::allowed, const std::string& time = {});
  LogReader(File file, std::string file_name, Missing missing = Missing::allowed);
  LogReader(std::unique_ptr<ByteSource> bytes, std::string file_name, Missing missing = Missing::allowed,
            const std::string& time = {});

  /// Throws FormatError with line and column at a cell that is no number, at a row of another length and where the time [s] does
  /// not increase.
  bool next(double& time, std::span<double> values) override;
  [[nodiscard]] Place place() const override { return table_.place(); }
  [[nodiscard]] std::uint64_t bytes_read() const { return table_.bytes_read(); }

 protected:
  void choose(const std::vector<std::size_t>& numbers) override;
  [[nodiscard]] const std::string& file_name() const override { return table_.name(); }

 private:
  void read_columns(const std::string& asked);
  double time_of_row();
  void comment(std::string_view text, const Place& place);
  void end();

  bool own_ = false;        // begins as LogWriter writes
  bool last_line_ = false;  // "end" or "incomplete" was met
  std::uint64_t promised_rows_ = 0;
  std::string time_column_, nanoseconds_column_;  // the latter where stamps stand in two columns
  double time_unit_ = 0;                          // [s]; 0 where the header does not say
  bool begun_ = false;                            // a stamp was met
  bool clock_ = false;                            // stamps are those of a clock: counted from the first, exactly
  Stamp origin_;                                  // the first
  std::vector<std::string> headings_;             // of columns_, as they stand in the file
  std::vector<double> numbers_;                   // the row being read
  TableReader table_;                             // last: it calls comment() while it is made
};

/// "q1 [rad]", also "q1 (rad)", as name and unit.
LogColumn column_of_heading(std::string_view heading);
/// Whether a table with this header runs over time, as far as the names of its columns tell.
bool has_time_column(const std::vector<std::string>& header);

/// Writes the whole log. Throws Error where channels differ in length from the time.
void write_log(const Log& log, std::FILE* file, const std::string& file_name);

}  // namespace armature::formats
