// Tables of numbers as CSV, read and written row by row: a table of any length needs the same memory.
//
// A table is text: a header with the names of the columns, then one row of numbers per line. Cells are separated by commas; by
// semicolons, tabs or blanks where the header is. Lines may end in LF or CR LF, cells may stand in double quotes
// (a quote inside is written twice, [RFC 4180]), empty lines and lines that begin with # are skipped. Where the first line holds
// numbers, the comment right above it is the header (as numpy.savetxt writes it); a header may begin with %.
// Numbers are SI, finite, written with a point; where cells are not separated by commas, a table may write all of them with a comma.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/formats/byte_source.hpp"

namespace armature::formats {

inline constexpr std::size_t longest_table_line = 1 << 20;  // [bytes]
inline constexpr std::size_t most_table_columns = 10'000;

struct TableOptions {
  bool missing_numbers = false;  // an empty cell, or nan, null, none, NA, is read as NaN instead of being refused
  bool may_be_empty = false;     // a header without rows is a table
  bool text_cells = false;       // a cell that holds no number is read as NaN; text_of() has what it holds
  /// As recorders write it: a first column without a name is called `index`, a last one that is empty is passed over, and units in a row
  /// below the names join them ("q1 [rad]").
  bool recorded = false;
  /// Reads the first selected cell where it holds no number: a date, for example.
  std::function<std::optional<double>(std::string_view text)> first_cell;
  /// Called for each line that begins with #, with what follows it.
  std::function<void(std::string_view text, const Place& place)> comment;
};

/// `text` as a cell of a header, in quotes where it needs them [RFC 4180].
std::string csv_cell(std::string_view text);

class TableReader {
 public:
  /// Opens the table at `path` as open_bytes() does (byte_source.hpp) and reads its header. Throws FormatError.
  explicit TableReader(const std::string& path, TableOptions options = {});
  /// Reads from an open file; `name` is its name in messages.
  TableReader(File file, std::string name, TableOptions options = {});
  TableReader(std::unique_ptr<ByteSource> bytes, std::string name, TableOptions options = {});

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] bool has(std::string_view column) const;

  /// Chooses the columns that next() delivers, in this order. Throws FormatError that names those that are missing.
  void select(const std::vector<std::string>& wanted);
  /// The columns that were not selected.
  [[nodiscard]] std::vector<std::string> unused_columns() const;

  /// Reads the selected numbers of the next row; false at the end. Throws FormatError at the cell that holds no finite
  /// number, at a row with too many or too few cells, and at the end of a table without rows.
  bool next(std::span<double> numbers);

  /// Rows delivered so far.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// The line of the row delivered last.
  [[nodiscard]] Place place() const { return at(0); }
  /// The cell of that row in which the i-th selected number stands.
  [[nodiscard]] Place place_of(std::size_t i) const { return at(cells_[selected_[i]].column); }
  /// What stands in that cell, without quotes and outer blanks.
  [[nodiscard]] std::string_view text_of(std::size_t i) const;
  /// Whether the last line has no end: the file may have been cut off in it.
  [[nodiscard]] bool line_is_open() const { return line_is_open_; }
  /// Whether the row that was refused last was too short, and nothing follows it: so, too.
  [[nodiscard]] bool ends_in_short_row();
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct Cell {
    std::string_view text;  // without the quotes
    std::size_t column;     // where it begins in its line, from 1
    bool quoted = false;    // a quote in the text is written twice
  };
  void read_header();
  void name_columns();
  void join_units();
  bool next_line(std::string_view& line);
  bool next_full_line(std::string_view& line);
  void split(std::string_view line);
  void choose_separator(std::string_view header);
  [[nodiscard]] std::size_t end_of_cell(std::string_view line, std::size_t begin) const;
  [[nodiscard]] bool holds_numbers() const;
  [[nodiscard]] std::optional<double> number_in(const Cell& cell);
  void deliver_comment(std::string_view line) const;
  [[nodiscard]] Place at(std::size_t column) const;
  [[noreturn]] void refuse_cell(const Cell& cell, const std::string& column) const;
  [[noreturn]] void refuse_cell_count(std::string_view line) const;

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  TableOptions options_;
  std::vector<std::string> columns_;
  std::vector<std::size_t> selected_;  // cell of each selected column

  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer is not yet delivered
  bool at_end_ = false, line_is_open_ = false;
  char separator_ = ',';     // ' ' stands for any number of blanks
  bool open_rows_ = false;   // rows end in a separator
  char point_ = 0;           // of the numbers met so far: '.' or ','; 0 while none had any
  std::vector<Cell> cells_;  // of the line read last
  std::uint64_t line_number_ = 0, rows_ = 0, bytes_read_ = 0;
};

class TableWriter {
 public:
  /// Writes to an open file, which must outlive the writer; `name` is its name in messages.
  TableWriter(std::FILE* file, std::string name);

  /// One line, behind a #.
  void comment(std::string_view text);
  void header(std::span<const std::string> columns);
  /// Every number as the shortest text that reads back as exactly that number. Throws Error when the file takes no more.
  void row(std::span<const double> numbers);
  /// Hands everything to the operating system. Throws Error when the file takes no more.
  void flush();

 private:
  std::FILE* file_;
  std::string name_;
  std::string buffer_;
};

}  // namespace armature::formats
