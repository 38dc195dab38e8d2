#include "armature/formats/table.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "armature/core/characters.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"

namespace armature::formats {

namespace {

constexpr std::size_t chunk = 1 << 16;  // [bytes]

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// An empty cell, or what programs write for a number that is not there.
bool is_missing(std::string_view cell) {
  std::string word(trimmed(cell));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  for (const char* missing : {"", "nan", "-nan", "null", "none", "na", "n/a"})
    if (word == missing) return true;
  return false;
}

/// "'a', 'b', 'c', ..." for messages.
std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 12;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < longest; ++i)
    text += fmt::format("{}'{}'", i > 0 ? ", " : "", printable(names[i]));
  if (names.size() > longest) text += fmt::format(" and {} more", names.size() - longest);
  return text;
}

}  // namespace

TableReader::TableReader(const std::string& path, TableOptions options)
    : TableReader(open_bytes(path), path == "-" ? "standard input" : path, std::move(options)) {}

TableReader::TableReader(File file, std::string name, TableOptions options)
    : TableReader(bytes_of(std::move(file), name), name, std::move(options)) {}

TableReader::TableReader(std::unique_ptr<ByteSource> bytes, std::string name, TableOptions options)
    : bytes_(std::move(bytes)), name_(std::move(name)), options_(std::move(options)), buffer_(chunk) {
  read_header();
}

Place TableReader::at(std::size_t column) const {
  const auto bounded = [](std::uint64_t n) {
    return static_cast<int>(std::min<std::uint64_t>(n, std::numeric_limits<int>::max()));
  };
  return {name_, bounded(line_number_), bounded(column)};
}

bool TableReader::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

/// The next line without its end.
bool TableReader::next_line(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const void* newline = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    if (newline != nullptr || (at_end_ && begin_ < end_)) {
      const char* first = buffer_.data() + begin_;
      const char* last = newline != nullptr ? static_cast<const char*>(newline) : buffer_.data() + end_;
      begin_ = static_cast<std::size_t>(last - buffer_.data()) + (newline != nullptr ? 1 : 0);
      if (last > first && last[-1] == '\r') --last;
      line = {first, static_cast<std::size_t>(last - first)};
      ++line_number_;
      line_is_open_ = newline == nullptr;
      if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
        throw FormatError("is written in UTF-16", "save it as UTF-8", at(0));
      if (line.find('\0') != std::string_view::npos)
        throw FormatError("holds a zero byte: this is no text",
                          "tables are text in UTF-8, saved e.g. by a spreadsheet as CSV", at(line.find('\0') + 1));
      return true;
    }
    if (at_end_) return false;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);  // the line goes on: make room and read
    end_ -= begin_;
    begin_ = 0;
    searched = end_;
    if (end_ >= longest_table_line) {
      ++line_number_;
      throw FormatError(fmt::format("the line is longer than {} bytes", longest_table_line),
                        "is this a table with one row per line?", at(0));
    }
    if (end_ + chunk > buffer_.size()) buffer_.resize(end_ + chunk);
    const std::size_t count = bytes_->read(buffer_.data() + end_, chunk);
    end_ += count;
    bytes_read_ += count;
    at_end_ = count == 0;
  }
}

/// The next line that is neither blank nor a comment.
bool TableReader::next_full_line(std::string_view& line) {
  while (next_line(line)) {
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '#') return true;
    deliver_comment(text);
  }
  return false;
}

void TableReader::deliver_comment(std::string_view line) const {
  if (!line.empty() && options_.comment) options_.comment(trimmed(line.substr(1)), at(0));
}

/// What separates the cells, by the header: the character that occurs most often outside quotes; blanks where there is none.
void TableReader::choose_separator(std::string_view header) {
  std::size_t most = 0;
  separator_ = ' ';
  for (const char candidate : {',', ';', '\t'}) {
    bool quoted = false;
    std::size_t count = 0;
    for (const char c : header) {
      if (c == '"') quoted = !quoted;
      count += !quoted && c == candidate;
    }
    if (count > most) {
      most = count;
      separator_ = candidate;
    }
  }
}

/// Where the cell that begins at `begin` ends. A unit in brackets belongs to the name before it.
std::size_t TableReader::end_of_cell(std::string_view line, std::size_t begin) const {
  if (separator_ != ' ') return std::min(line.find(separator_, begin), line.size());
  std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::size_t next = line.find_first_not_of(" \t", end);
  if (columns_.empty() && next != std::string_view::npos && line[next] == '[')
    end = std::min(line.find(']', next), line.size() - 1) + 1;
  return end;
}

/// Fills cells_ with the cells of `line`.
void TableReader::split(std::string_view line) {
  cells_.clear();
  const std::string_view blanks = separator_ == '\t' ? " " : " \t";
  if (separator_ == ' ') line = line.substr(0, line.find_last_not_of(blanks) + 1);
  for (std::size_t begin = 0;; ++begin) {
    if (separator_ == ' ') begin = std::min(line.find_first_not_of(blanks, begin), line.size());
    std::size_t comma = end_of_cell(line, begin);
    const std::size_t first = line.find_first_not_of(blanks, begin);
    if (first != std::string_view::npos && line[first] == '"') {
      std::size_t quote = line.find('"', first + 1);
      while (quote != std::string_view::npos && line.substr(quote + 1).starts_with('"'))
        quote = line.find('"', quote + 2);  // "" is a quote inside
      if (quote == std::string_view::npos)
        throw FormatError("a quote is opened but not closed in its line", "close it with \"", at(first + 1));
      comma = end_of_cell(line, quote + 1);
      if (!trimmed(line.substr(quote + 1, comma - quote - 1)).empty())
        throw FormatError("something follows a closing quote", "a quoted cell ends at its second quote", at(quote + 2));
      cells_.push_back({line.substr(first + 1, quote - first - 1), first + 1, true});
    } else {
      cells_.push_back({line.substr(begin, comma - begin), begin + 1});
    }
    if (comma == line.size()) break;
    begin = comma;
  }
  if (open_rows_ && cells_.size() == columns_.size() + 1 && trimmed(cells_.back().text).empty()) cells_.pop_back();
}

bool TableReader::holds_numbers() const {
  return std::all_of(cells_.begin(), cells_.end(),
                     [](const Cell& cell) { return parse_double(cell.text).has_value(); });
}

std::string csv_cell(std::string_view text) {
  const bool quotes = text.find_first_of(",;\t\"") != std::string_view::npos || text.starts_with('#') ||
                      text.starts_with('%') || trimmed(text).size() != text.size();
  if (!quotes) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

namespace {

/// A byte that no header holds, and where it is.
struct HeaderFault {
  std::string finding, hint;
  std::size_t at;
};
std::optional<HeaderFault> fault_in_header(std::string_view line) {
  for (std::size_t i = 0; i < line.size();) {
    const Character c = character_at(line, i);
    if (c.length == 0)
      return HeaderFault{fmt::format("the header holds the byte 0x{:02x}, which is not UTF-8 text",
                                     static_cast<unsigned char>(line[i])),
                         "save the table as UTF-8", i};
    if (is_control(c.code) && c.code != '\t')
      return HeaderFault{"the header holds the control character " + character_name(c.code),
                         c.code == '\r' ? "lines end in LF or CR LF, not in CR alone" : "is this a text file?", i};
    i += c.length;
  }
  return std::nullopt;
}

}  // namespace

void TableReader::read_header() {
  std::string_view line;
  std::string above;  // the comment right above
  const auto deliver = options_.comment;
  options_.comment = [&](std::string_view text, const Place& place) {
    above = text;
    if (deliver) deliver(text, place);
  };
  const auto read_line = [&] {
    if (!next_full_line(line))
      throw FormatError("is empty", "a table begins with the names of its columns, e.g. q1,q2,q3", {name_});
  };
  read_line();
  if (line.starts_with("\xEF\xBB\xBF")) {  // the byte-order mark of some editors
    line.remove_prefix(3);
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') {
      deliver_comment(text);
      read_line();
    }
  }
  options_.comment = deliver;
  if (line.starts_with('{') || line.starts_with("[{") || line.starts_with("[["))
    throw FormatError("this is JSON", "a table is CSV: a header, then one row of numbers per line", at(0));
  choose_separator(line);
  split(line);
  if (holds_numbers() && !above.empty()) {
    const std::size_t cells = cells_.size();
    const char separator = separator_;
    choose_separator(above);
    split(above);
    if (cells_.size() == cells && separator_ == separator && !holds_numbers()) {
      begin_ = static_cast<std::size_t>(line.data() - buffer_.data());
      --line_number_;  // the line is a row
      line = above;
    }
  }
  if (line.starts_with('%')) line.remove_prefix(1);
  if (const auto fault = fault_in_header(line)) throw FormatError(fault->finding, fault->hint, at(fault->at + 1));
  choose_separator(line);
  split(line);
  if ((separator_ != ',' || options_.recorded) && cells_.size() > 1 && trimmed(cells_.back().text).empty()) {
    cells_.pop_back();
    open_rows_ = true;
  }
  if (cells_.size() > most_table_columns)
    throw FormatError(fmt::format("the header has {} columns", cells_.size()),
                      fmt::format("at most {} are read", most_table_columns), at(0));
  if (holds_numbers())
    throw FormatError("the first line holds numbers, not the names of the columns",
                      "put a header above them, e.g. q1,q2,q3", at(0));
  name_columns();
  if (options_.recorded) join_units();
}

void TableReader::name_columns() {
  for (const Cell& cell : cells_) {
    std::string name(trimmed(cell.text));
    if (name.empty() && columns_.empty() && options_.recorded && cells_.size() > 1) name = "index";
    for (std::size_t k = 0; (k = name.find("\"\"", k)) != std::string::npos && cell.quoted; ++k) name.erase(k, 1);
    if (name.empty())
      throw FormatError(fmt::format("column {} has no name", columns_.size() + 1),
                        columns_.empty() ? "is it an index? pandas leaves it out with to_csv(..., index=False)"
                                         : "is there a comma too many?",
                        at(cell.column));
    if (has(name))
      throw FormatError(fmt::format("the column '{}' appears twice", printable(name)), "names must differ",
                        at(cell.column));
    columns_.push_back(name);
  }
}

/// Takes the line below the names for their units where it holds a short word per column and no number.
void TableReader::join_units() {
  constexpr std::size_t longest_unit = 12;
  std::string_view line;
  if (!next_full_line(line)) return;
  split(line);
  const bool words = std::all_of(cells_.begin(), cells_.end(), [](const Cell& cell) {
    const std::string_view word = trimmed(cell.text);
    const bool begins_as_number = word != "-" && word.find_first_of("0123456789+-.,") == 0;
    return word.size() <= longest_unit && !begins_as_number;
  });
  const bool empty = std::all_of(cells_.begin(), cells_.end(), [](const Cell& c) { return is_missing(c.text); });
  if (!words || empty || cells_.size() != columns_.size()) {
    begin_ = static_cast<std::size_t>(line.data() - buffer_.data());
    --line_number_;  // the line is a row
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::string_view unit = trimmed(cells_[i].text);
    if (unit.size() > 2 && (unit.front() == '[' || unit.front() == '(')) unit = unit.substr(1, unit.size() - 2);
    if (!is_missing(unit) && unit != "-" && !columns_[i].ends_with(']')) columns_[i] += fmt::format(" [{}]", unit);
  }
}

bool TableReader::ends_in_short_row() {
  std::string_view rest;
  return !cells_.empty() && cells_.size() < columns_.size() && !next_full_line(rest);
}

void TableReader::select(const std::vector<std::string>& wanted) {
  selected_.clear();
  std::vector<std::string> missing, others;
  for (const std::string& name : wanted) {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found == columns_.end()) missing.push_back(name);
    selected_.push_back(static_cast<std::size_t>(found - columns_.begin()));
  }
  if (missing.empty()) return;
  for (const std::string& name : columns_)
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) others.push_back(name);
  std::string hint = fmt::format("the table has {}", quoted_list(columns_));
  if (const auto guess = nearest_word(missing.front(), others))
    hint += fmt::format("; is '{}' meant as '{}'?", printable(*guess), missing.front());
  throw FormatError(fmt::format("the {} {} {} missing", missing.size() == 1 ? "column" : "columns",
                                quoted_list(missing), missing.size() == 1 ? "is" : "are"),
                    hint, at(0));
}

std::vector<std::string> TableReader::unused_columns() const {
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (std::find(selected_.begin(), selected_.end(), i) == selected_.end()) unused.push_back(columns_[i]);
  return unused;
}

bool TableReader::next(std::span<double> numbers) {
  std::string_view line;
  if (!next_full_line(line)) {
    if (rows_ == 0 && !options_.may_be_empty)
      throw FormatError("has a header but no rows", "write one row of numbers per line below it", {name_});
    return false;
  }
  split(line);
  if (cells_.size() != columns_.size()) refuse_cell_count(line);
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    const Cell& cell = cells_[selected_[i]];
    auto number = number_in(cell);
    if (!number && i == 0 && options_.first_cell) number = options_.first_cell(trimmed(cell.text));
    const bool passes = options_.text_cells || (options_.missing_numbers && is_missing(cell.text));
    if (!number && !passes) refuse_cell(cell, columns_[selected_[i]]);
    numbers[i] = number.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  ++rows_;
  return true;
}

/// The number in a cell. Where commas do not separate cells they may stand for the point, in all numbers or in none.
std::optional<double> TableReader::number_in(const Cell& cell) {
  if (separator_ == ',') return parse_double(cell.text);
  const std::size_t point = cell.text.find_first_of(".,");
  if (point == std::string_view::npos) return parse_double(cell.text);
  if (point_ == 0) point_ = cell.text[point];
  if (cell.text[point] != point_) return std::nullopt;
  if (point_ == '.') return parse_double(cell.text);
  std::string text(cell.text);
  text[point] = '.';
  return parse_double(text);
}

std::string_view TableReader::text_of(std::size_t i) const { return trimmed(cells_[selected_[i]].text); }

void TableReader::refuse_cell_count(std::string_view line) const {
  const bool too_many = cells_.size() > columns_.size();
  std::string hint = "every row has one cell a column";
  if (separator_ == ',' && line.find(';') != std::string_view::npos)
    hint = "cells are separated by commas as in the header, numbers written with a point";
  else if (too_many && cells_.size() >= 2 * columns_.size() - 1)
    hint = "are numbers written with a comma? write 0.5, not 0,5";
  throw FormatError(fmt::format("the row has {} {}, the header has {}", cells_.size(),
                                cells_.size() == 1 ? "cell" : "cells", columns_.size()),
                    hint, at(too_many ? cells_[columns_.size()].column : line.size() + 1));
}

void TableReader::refuse_cell(const Cell& cell, const std::string& column) const {
  const std::string_view text = trimmed(cell.text);
  const std::string shown = printable(text);
  if (text.empty())
    throw FormatError(fmt::format("column '{}' is empty in this row", printable(column)), "write a number",
                      at(cell.column));
  std::string word(text.substr(text.find_first_not_of("+-") == 1 ? 1 : 0));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (word == "nan" || word == "inf" || word == "infinity")
    throw FormatError(fmt::format("column '{}' holds '{}', which is not finite", printable(column), shown),
                      "leave out rows with missing values", at(cell.column));
  std::string hint = "write a number, e.g. 0.25 or -1e-3";
  if (text.find_first_not_of("+-0123456789.eE") == std::string_view::npos && text.find_first_of("eE") != text.npos)
    hint = "is it larger than any double (1.8e308)?";
  else if (text.find(',') != std::string_view::npos)
    hint = separator_ == ',' ? "write numbers with a point: 0.5, not 0,5"
                             : "other numbers of the table are written with a point: one or the other";
  else if (text.find('#') != std::string_view::npos)
    hint = "comments stand on lines of their own";
  else if (text.find_first_of("0123456789") != std::string_view::npos && word.back() >= 'a' && word.back() <= 'z')
    hint = "numbers in tables are SI (rad, m, s, N m) and carry no unit";
  throw FormatError(fmt::format("column '{}' holds '{}', which is not a number", printable(column), shown), hint,
                    at(cell.column));
}

TableWriter::TableWriter(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {
  buffer_.reserve(2 * chunk);
}

void TableWriter::comment(std::string_view text) {
  buffer_ += fmt::format("# {}\n", text);
  if (buffer_.size() >= chunk) flush();
}

void TableWriter::header(std::span<const std::string> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) buffer_ += (i > 0 ? "," : "") + csv_cell(columns[i]);
  buffer_ += '\n';
}

void TableWriter::row(std::span<const double> numbers) {
  bool first = true;
  for (const double number : numbers) {
    if (!std::exchange(first, false)) buffer_ += ',';
    fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), number);  // as exact_text
  }
  buffer_ += '\n';
  if (buffer_.size() >= chunk) flush();
}

void TableWriter::flush() {
  const bool written = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
  if (!written || std::fflush(file_) != 0)
    throw Error(fmt::format("cannot be written: {}", std::strerror(errno)), "is the disk full?", {name_});
  buffer_.clear();
}

}  // namespace armature::formats
