#include "armature/formats/log_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "armature/core/characters.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"

namespace armature::formats {

namespace {

constexpr std::string_view signature = "armature log", version = "1";
constexpr std::string_view reserved[] = {signature, "title", "event", "end", "incomplete"};
constexpr std::string_view fact_prefix = "fact ";  // before a fact's key that would otherwise mean something else

/// Characters that a comment cannot hold, and the letter that stands for them behind a backslash.
constexpr std::pair<char, char> letters[] = {{'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'\0', '0'}};
constexpr char outer_blank = 's';  // a blank at either end

/// `text` on one line, with a backslash before each backslash and each of `ends`.
std::string escaped(std::string_view text, std::string_view ends = {}) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool marked = c == '\\' || ends.find(c) != std::string_view::npos;
    for (const auto& [character, letter] : letters)
      if (text[i] == character) {
        c = letter;
        marked = true;
      }
    if (c == ' ' && (i == 0 || i + 1 == text.size())) {
      c = outer_blank;
      marked = true;
    }
    if (marked) line += '\\';
    line += c;
  }
  return line;
}

std::string unescaped(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool marked = line[i] == '\\' && i + 1 < line.size();
    char c = line[marked ? ++i : i];
    if (marked && c == outer_blank) c = ' ';
    for (const auto& [character, letter] : letters)
      if (marked && line[i] == letter) c = character;
    text += c;
  }
  return text;
}

/// Where the first `mark` without a backslash stands, or npos.
std::size_t find_mark(std::string_view line, char mark) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == mark)
      return i;
  }
  return std::string_view::npos;
}

std::string_view after_blank(std::string_view text) { return text.starts_with(' ') ? text.substr(1) : text; }

void check_name(std::string_view text, const std::string& file_name, bool unit) {
  const bool brackets = unit && text.find_first_of("[]") != std::string_view::npos;
  const std::string flaw = unit && text.empty() ? ""
                           : brackets           ? "holds brackets"
                                                : flaw_of_name(text, longest_channel_name);
  if (!flaw.empty())
    throw Error(
        fmt::format("the {} '{}' cannot stand in a header: it {}", unit ? "unit" : "name", printable(text), flaw),
        unit ? "a unit reads like N m/rad" : name_hint, {file_name});
}

/// "q1 [rad]"
std::string heading(const LogColumn& column, const std::string& file_name) {
  check_name(column.name, file_name, false);
  check_name(column.unit, file_name, true);
  const bool bracket = !column.unit.empty() || column.name.ends_with(']');
  return bracket ? fmt::format("{} [{}]", column.name, column.unit) : column.name;
}

/// Names of the time, whatever their capitals and however many underscores, slashes or percent signs they begin with, and the unit that goes
/// with a name.
constexpr std::pair<std::string_view, std::string_view> known_time_columns[] = {{"time", ""},
                                                                                {"t", ""},
                                                                                {"timestamp", ""},
                                                                                {"time_stamp", ""},
                                                                                {"stamp", ""},
                                                                                {"time_s", "s"},
                                                                                {"time_sec", "s"},
                                                                                {"seconds", "s"},
                                                                                {"timestamp_s", "s"},
                                                                                {"timestamp_sec", "s"},
                                                                                {"elapsed", ""},
                                                                                {"elapsed_time", ""},
                                                                                {"sim_time", ""},
                                                                                {"stamp_ms", "ms"},
                                                                                {"stamp_us", "us"},
                                                                                {"stamp_ns", "ns"},
                                                                                {"rosbagtimestamp", "ns"},
                                                                                {"header.stamp", ""},
                                                                                {"time_ms", "ms"},
                                                                                {"timestamp_ms", "ms"},
                                                                                {"time_us", "us"},
                                                                                {"timestamp_us", "us"},
                                                                                {"time_ns", "ns"},
                                                                                {"timestamp_ns", "ns"},
                                                                                {"field.header.stamp", "ns"}};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// "time" of "__time" and "/time".
std::string bare_name(const std::string& name) {
  return lower_case(name.substr(std::min(name.find_first_not_of("_/%# "), name.size())));
}

/// The columns that hold the seconds and the nanoseconds of a stamp, as ROS writes them: the same name but for its last word.
std::optional<std::pair<std::size_t, std::size_t>> split_stamp(const std::vector<LogColumn>& columns) {
  const auto find = [&](const std::string& name) {
    return std::find_if(columns.begin(), columns.end(),
                        [&](const LogColumn& c) { return lower_case(c.name) == name; }) -
           columns.begin();
  };
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"sec", "nanosec"}, {"secs", "nsecs"}, {"sec", "nsec"}, {"secs", "nanosecs"}, {"seconds", "nanoseconds"}};
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (const auto& [whole, fraction] : words) {
      const std::string name = lower_case(columns[i].name);
      if (!name.ends_with(whole)) continue;
      const std::string stem = name.substr(0, name.size() - whole.size());
      if (!stem.empty() && stem.find_last_of("._/ ") != stem.size() - 1) continue;
      const auto other = static_cast<std::size_t>(find(stem + std::string(fraction)));
      if (other < columns.size()) return std::pair(i, other);
    }
  return std::nullopt;
}

/// The column of the time by its name, which may say its unit; the end where there is none.
std::vector<LogColumn>::iterator usual_time(std::vector<LogColumn>& all) {
  for (const auto& [name, unit] : known_time_columns) {
    auto time =
        std::find_if(all.begin(), all.end(), [&name = name](const LogColumn& c) { return lower_case(c.name) == name; });
    if (time == all.end())
      time = std::find_if(all.begin(), all.end(),
                          [&name = name](const LogColumn& c) { return bare_name(c.name) == name; });
    if (time == all.end()) continue;
    if (time->unit.empty()) time->unit = unit;
    return time;
  }
  return all.end();
}

/// Seconds since 1970 of a date as ISO 8601 writes it, "2024-05-01T12:30:00.25Z" or with a blank for the T; a zone other than Z is not
/// applied: only differences count.
std::optional<double> parse_date(std::string_view text) {
  const auto digits = [&](std::size_t at, std::size_t count) -> int {
    if (text.size() < at + count || text.substr(at, count).find_first_not_of("0123456789") != std::string_view::npos)
      return -1;
    int value = 0;
    for (const char c : text.substr(at, count)) value = 10 * value + (c - '0');
    return value;
  };
  const int year = digits(0, 4), month = digits(5, 2), day = digits(8, 2), hour = digits(11, 2), minute = digits(14, 2),
            second = digits(17, 2);
  if (year < 1970 || month < 1 || day < 1 || hour < 0 || minute < 0 || second < 0) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.", 19), text.size());
  double fraction = 0;
  if (end > 19) {
    const auto parsed = parse_double("0" + std::string(text.substr(19, end - 19)) + "0");
    if (text[19] != '.' || !parsed) return std::nullopt;
    fraction = *parsed;
  }
  const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return 86400 * days + 3600.0 * hour + 60.0 * minute + second + fraction;
}

/// The digits of a stamp, where it is written with a point or without; nothing where it is written otherwise.
std::optional<LogReader::Stamp> parse_stamp(std::string_view text) {
  const std::size_t point = std::min(text.find_first_of(".,"), text.size());
  if (point == 0 || point > 19 || (point == 19 && text.front() > '8') || text.find_first_not_of("0123456789") < point)
    return std::nullopt;
  LogReader::Stamp stamp;
  for (const char c : text.substr(0, point)) stamp.whole = 10 * stamp.whole + (c - '0');
  if (point < text.size()) {
    const auto fraction = parse_double("0." + std::string(text.substr(point + 1)) + "0");
    if (!fraction || text.find_first_not_of("0123456789", point + 1) != std::string_view::npos) return std::nullopt;
    stamp.fraction = *fraction;
  }
  return stamp;
}

/// "q1 [rad]"; in tables of others also "q1 (rad)".
LogColumn parse_heading(std::string_view text, bool own) {
  const bool round = !own && text.ends_with(')') && text.rfind('(') != std::string_view::npos && text.rfind('(') > 0 &&
                     text.substr(text.rfind('(') + 1).find_first_of("0123456789") != 0;
  const std::size_t square = text.ends_with(']') ? text.rfind('[') : std::string_view::npos;
  const bool numbered = !own && square != std::string_view::npos && square > 0 && square + 2 < text.size() &&
                        text.find_first_not_of("0123456789", square + 1) == text.size() - 1;  // q[0] is a name
  if (numbered) return {std::string(text), ""};
  const std::size_t bracket = text.ends_with(']') ? text.rfind('[') : round ? text.rfind('(') : std::string_view::npos;
  if (bracket == std::string_view::npos) return {std::string(text), ""};
  const std::string_view name = text.substr(0, bracket);
  return {std::string(name.substr(0, name.find_last_not_of(' ') + 1)),
          std::string(text.substr(bracket + 1, text.size() - bracket - 2))};
}

}  // namespace

LogColumn column_of_heading(std::string_view heading) { return parse_heading(heading, false); }

bool has_time_column(const std::vector<std::string>& header) {
  std::vector<LogColumn> all;
  for (const std::string& heading : header) all.push_back(column_of_heading(heading));
  return usual_time(all) != all.end() || split_stamp(all);
}

LogWriter::LogWriter(std::FILE* file, std::string file_name, const std::string& title, const LogFacts& facts,
                     std::span<const LogColumn> columns)
    : table_(file, file_name), file_name_(std::move(file_name)), columns_(columns.begin(), columns.end()) {
  comment(fmt::format("{}: {}", signature, version));
  if (!title.empty()) comment("title: " + escaped(title));
  for (const auto& [key, value] : facts) {
    const bool taken = key.starts_with(fact_prefix) || std::count(std::begin(reserved), std::end(reserved), key) > 0;
    comment(fmt::format("{}{}: {}", taken ? fact_prefix : "", escaped(key, ":"), escaped(value)));
  }
  std::vector<std::string> header{"time [s]"};
  for (const LogColumn& column : columns_) {
    header.push_back(heading(column, file_name_));
    if (column.name == "time" || std::count_if(columns_.begin(), columns_.end(),
                                               [&](const LogColumn& other) { return other.name == column.name; }) > 1)
      throw Error(fmt::format("two columns are called '{}'", printable(column.name)), "names must differ",
                  {file_name_});
  }
  table_.header(header);
  numbers_.resize(header.size());
}

void LogWriter::comment(const std::string& text) {
  if (text.size() + 3 > longest_table_line)
    throw Error(fmt::format("the line '{}' would be {} bytes long", printable(text), text.size()),
                fmt::format("lines of a log are shorter than {} bytes", longest_table_line), {file_name_});
  table_.comment(text);
}

void LogWriter::row(double time, std::span<const double> values) {
  if (values.size() != columns_.size())
    throw Error(fmt::format("a row of {} values for {} channels", values.size(), columns_.size()), "", {file_name_});
  if (!std::isfinite(time) || (rows_ > 0 && time <= last_time_))
    throw Error(fmt::format("the time {} s follows {} s", time, last_time_), "times are finite and increase",
                {file_name_});
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isinf(values[i]))
      throw Error(fmt::format("channel '{}' is infinite at {} s", printable(columns_[i].name), time),
                  "did the run diverge?", {file_name_});
  numbers_[0] = time;
  std::copy(values.begin(), values.end(), numbers_.begin() + 1);
  table_.row(numbers_);
  last_time_ = time;
  ++rows_;
}

void LogWriter::event(const LogEvent& event) {
  if (!std::isfinite(event.time))
    throw Error(fmt::format("the event '{}' has no finite time", printable(event.kind)), "", {file_name_});
  comment(fmt::format("event: {}; {}; {}", exact_text(event.time), escaped(event.kind, ";"), escaped(event.detail)));
}

void LogWriter::finish(std::string_view incomplete) {
  comment(incomplete.empty() ? fmt::format("end: {} rows", rows_) : "incomplete: " + escaped(incomplete));
  table_.flush();
}

LogReader::LogReader(const std::string& path, Missing missing, const std::string& time)
    : LogReader(open_bytes(path), path == "-" ? "standard input" : path, missing, time) {}

LogReader::LogReader(File file, std::string file_name, Missing missing)
    : LogReader(bytes_of(std::move(file), file_name), file_name, missing) {}

LogReader::LogReader(std::unique_ptr<ByteSource> bytes, std::string file_name, Missing missing, const std::string& time)
    : LogSource(missing),
      table_(std::move(bytes), std::move(file_name),
             {.missing_numbers = missing != Missing::refused,
              .may_be_empty = true,
              .recorded = true,
              .first_cell = parse_date,
              .comment = [this](std::string_view text, const Place& place) { comment(text, place); }}) {
  read_columns(time);
}

/// Finds the time and takes the names and units of the others apart.
void LogReader::read_columns(const std::string& asked) {
  std::vector<LogColumn> all;
  for (const std::string& text : table_.columns()) {
    all.push_back(parse_heading(text, own_));
    const std::string& name = all.back().name;
    if (name.empty())
      throw FormatError(fmt::format("the column '{}' has a unit but no name", printable(text)), "e.g. q1 [rad]",
                        table_.place());
    if (std::count_if(all.begin(), all.end(), [&](const LogColumn& column) { return column.name == name; }) > 1)
      throw FormatError(fmt::format("the column '{}' appears twice", printable(name)), "names must differ",
                        table_.place());
  }
  auto time = std::find_if(all.begin(), all.end(), [&](const LogColumn& column) { return column.name == asked; });
  const auto pair = asked.empty() ? split_stamp(all) : std::nullopt;
  if (asked.empty()) time = usual_time(all);
  if (time == all.end() && pair) {
    time = all.begin() + static_cast<std::ptrdiff_t>(pair->first);
    time->unit = "s";
    nanoseconds_column_ = table_.columns()[pair->second];
  }
  if (time == all.end())
    throw FormatError(
        fmt::format("there is no column '{}'", asked.empty() ? "time" : printable(asked)),
        fmt::format("a log has the time in a column 'time [s]'; this begins with '{}'{}",
                    printable(table_.columns().front()), asked.empty() ? ". A map may name it: `time: NAME`" : ""),
        table_.place());
  if (!time->unit.empty()) try {
      time_unit_ = parse_quantity("1 " + time->unit, dimension::time);
    } catch (const FormatError&) {
      throw FormatError(fmt::format("the time is given in '{}'", printable(time->unit)), "e.g. time [s] or time [ms]",
                        table_.place());
    }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& text = table_.columns()[i];
    if (all.begin() + static_cast<std::ptrdiff_t>(i) == time)
      time_column_ = text;
    else if (text != nanoseconds_column_) {
      columns_.push_back(all[i]);
      headings_.push_back(text);
    }
  }
  std::vector<std::size_t> all_of_them;
  for (std::size_t i = 0; i < columns_.size(); ++i) all_of_them.push_back(i);
  choose(all_of_them);
}

void LogReader::choose(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> wanted{time_column_};
  if (!nanoseconds_column_.empty()) wanted.push_back(nanoseconds_column_);
  for (const std::size_t i : numbers) wanted.push_back(headings_[i]);
  table_.select(wanted);
  numbers_.resize(wanted.size());
}

void LogReader::comment(std::string_view text, const Place& place) {
  const std::size_t colon = find_mark(text, ':');
  if (colon == std::string_view::npos) return;
  const std::string_view key = text.substr(0, colon), value = after_blank(text.substr(colon + 1));
  if (key == signature && place.line == 1) {
    if (value != version)
      throw FormatError(fmt::format("is a log of version {}", printable(value)),
                        fmt::format("this program reads version {}", version), place);
    own_ = true;
  } else if (own_ && key == "title") {
    title_ = unescaped(value);
  } else if (own_ && key == "incomplete") {
    incomplete_ = unescaped(value);
    last_line_ = true;
  } else if (own_ && key == "end" && value.ends_with(" rows")) {
    const auto rows = parse_double(value.substr(0, value.size() - 5));
    if (rows && *rows >= 0 && *rows < 0x1p53) {
      promised_rows_ = static_cast<std::uint64_t>(*rows);
      last_line_ = true;
    }
  } else if (own_ && key == "event") {
    const std::size_t first = find_mark(value, ';');
    const std::string_view rest = first == std::string_view::npos ? "" : after_blank(value.substr(first + 1));
    const std::size_t second = find_mark(rest, ';');
    const auto time = parse_double(value.substr(0, first));
    if (time && second != std::string_view::npos)
      events_.push_back({*time, unescaped(rest.substr(0, second)), unescaped(after_blank(rest.substr(second + 1)))});
    else if (!table_.line_is_open())
      throw FormatError(fmt::format("the event '{}' cannot be read", printable(value)), "e.g. 0.25; stick; joint 2",
                        place);
  } else {
    const bool prefixed = own_ && key.starts_with(fact_prefix);
    facts_.emplace_back(unescaped(prefixed ? key.substr(fact_prefix.size()) : key), unescaped(value));
  }
}

//  A file that LogWriter did not finish may end in the middle of a number, so a row without a line end is not believed.
bool LogReader::next(double& time, std::span<double> values) {
  try {
    if (!table_.next(numbers_)) {
      end();
      return false;
    }
  } catch (const FormatError&) {
    const int line = table_.place().line;
    if (!table_.line_is_open() && (own_ || !table_.ends_in_short_row())) throw;
    incomplete_ = fmt::format("the file ends within line {}", line);
    return false;
  }
  if (own_ && table_.line_is_open()) {
    incomplete_ = fmt::format("the file ends within line {}", table_.place().line);
    return false;
  }
  time = time_of_row();
  check_time(time, table_.rows() == 1, table_.place_of(0));
  std::copy(numbers_.begin() + (nanoseconds_column_.empty() ? 1 : 2), numbers_.end(), values.begin());
  return true;
}

/// Stamps of a clock are counted from the first, by their digits: a double holds nanoseconds since 1970 to 256 only.
double LogReader::time_of_row() {
  const double stamp = numbers_[0];
  const auto digits = [&] {
    Stamp s = parse_stamp(table_.text_of(0)).value_or(Stamp{0, stamp});
    if (!nanoseconds_column_.empty()) s.fraction += 1e-9 * numbers_[1];
    return s;
  };
  if (!std::isfinite(stamp)) return stamp;
  if (!std::exchange(begun_, true)) {
    const double told = time_unit_ > 0 ? time_unit_ : 1;
    clock_ = time_unit_ > 0 ? clock_unit(stamp * told) == 1 : clock_unit(stamp) > 0;
    time_unit_ = clock_ && time_unit_ == 0 ? clock_unit(stamp) : told;
    if (clock_) {
      origin_ = digits();
      const char* unit = origin_.whole == 0   ? ""
                         : time_unit_ == 1    ? " s"
                         : time_unit_ == 1e-3 ? " ms"
                         : time_unit_ == 1e-6 ? " us"
                                              : " ns";
      count_from(fmt::format("{}{}", table_.text_of(0), unit));
    }
  }
  if (!clock_) return stamp * time_unit_ + (nanoseconds_column_.empty() ? 0 : 1e-9 * numbers_[1]);
  const Stamp now = origin_.whole > 0 ? digits() : Stamp{0, stamp};
  return (static_cast<double>(now.whole - origin_.whole) + (now.fraction - origin_.fraction)) * time_unit_;
}

void LogReader::end() {
  if (!own_ || !incomplete_.empty()) return;
  if (!last_line_)
    incomplete_ = "the file ends without its last line: whoever wrote it was stopped";
  else if (promised_rows_ != table_.rows())
    throw FormatError(fmt::format("has {} rows, but was written with {}", table_.rows(), promised_rows_),
                      "were rows lost or added?", {table_.name()});
}

void write_log(const Log& log, std::FILE* file, const std::string& file_name) {
  std::vector<LogColumn> columns;
  for (const Channel& channel : log.channels) {
    if (channel.values.size() != log.time.size())
      throw Error(fmt::format("channel '{}' has {} values, the log has {} times", printable(channel.name),
                              channel.values.size(), log.time.size()),
                  "every channel has one value per time", {file_name});
    columns.push_back({channel.name, channel.unit});
  }
  LogWriter writer(file, file_name, log.title, log.facts, columns);
  std::vector<double> values(columns.size());
  auto event = log.events.begin();
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    for (; event != log.events.end() && event->time < log.time[k]; ++event) writer.event(*event);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = log.channels[i].values[k];
    writer.row(log.time[k], values);
  }
  for (; event != log.events.end(); ++event) writer.event(*event);
  writer.finish(log.incomplete);
}

}  // namespace armature::formats
