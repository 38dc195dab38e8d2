// Tables and logs: CSV, plain and packed, NPZ, MCAP.
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "armature/core/error.hpp"
#include "armature/formats/cdr.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "armature/formats/rosbag_db3.hpp"
#include "targets.hpp"

namespace armature::fuzz {

namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  return true;
}

/// Throws Broken with what differs.
void compare(const Log& a, const Log& b, const std::string& how) {
  const auto check = [&](bool equal, const char* what) {
    if (!equal) throw Broken(how + ": " + what + " of a log that was written differ");
  };
  check(a.title == b.title && a.incomplete == b.incomplete, "the texts");
  check(a.facts == b.facts, "the facts");
  check(same(a.time, b.time), "the times");
  check(a.channels.size() == b.channels.size(), "the channels");
  for (std::size_t i = 0; i < a.channels.size(); ++i)
    check(a.channels[i].name == b.channels[i].name && a.channels[i].unit == b.channels[i].unit &&
              same(a.channels[i].values, b.channels[i].values),
          "the channels");
  check(a.events.size() == b.events.size(), "the events");
  for (std::size_t i = 0; i < a.events.size(); ++i)
    check(a.events[i].time == b.events[i].time && a.events[i].kind == b.events[i].kind &&
              a.events[i].detail == b.events[i].detail,
          "the events");
}

using Write = std::function<void(const Log&, std::FILE*, const std::string&)>;
using Read = std::function<Log(ByteSource&)>;

std::string written(const Log& log, const Write& write) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&data, &size);
  const auto close = [&] {
    std::fclose(file);
    std::string text(data, size);
    std::free(data);
    return text;
  };
  try {
    write(log, file, "again");
  } catch (...) {
    close();
    throw;
  }
  return close();
}

Log read_checked(const Read& read, ByteSource& source) {
  const std::unique_ptr<LogSource> rows = rows_of(read(source), "x");
  return read_log(*rows);
}
Log read_csv(ByteSource& source) {
  const std::string text = read_all(source, std::size_t{1} << 26, "x");
  LogReader reader(bytes_of(text), "x.csv");
  return read_log(reader);
}

/// Reads, writes and reads again. A writer may refuse what its format cannot hold.
bool round_trip(std::unique_ptr<ByteSource> source, const Read& read, const Write& write) {
  try {
    const Log log = read_checked(read, *source);
    std::string text;
    try {
      text = written(log, write);
    } catch (const Error& error) {
      if (error.finding().empty()) throw Broken("an error without a finding");
      return true;
    }
    try {
      compare(log, read_checked(read, *bytes_of(text)), "read again");
    } catch (const Error& error) {
      throw Broken(std::string("a log that was written is refused: ") + error.what());
    }
    return true;
  } catch (const Error& error) {
    if (error.finding().empty() || error.place().file.empty()) throw Broken("an error without a finding or a place");
    return false;
  }
}

}  // namespace

bool table(std::string_view bytes) {
  try {
    TableReader reader(bytes_of(bytes), "x.csv");
    reader.select(reader.columns());
    std::vector<double> row(reader.columns().size());
    while (reader.next(row))
      for (const double number : row)
        if (!std::isfinite(number)) throw Broken("a number of a table is not finite");
    return true;
  } catch (const Error& error) {
    if (error.finding().empty() || error.place().file.empty()) throw Broken("an error without a finding or a place");
    return false;
  }
}

bool log(std::string_view bytes) { return round_trip(bytes_of(bytes), read_csv, write_log); }

bool log_xz(std::string_view bytes) {
  try {
    return round_trip(unpacked_xz(bytes_of(bytes), "x.csv.xz"), read_csv, write_log);
  } catch (const FormatError&) {
    return false;
  }
}

bool npz(std::string_view bytes) {
  return round_trip(
      bytes_of(bytes), [](ByteSource& source) { return read_npz(source, "x.npz"); }, write_npz);
}

bool mcap(std::string_view bytes) {
  return round_trip(
      bytes_of(bytes), [](ByteSource& source) { return read_mcap(source, "x.mcap"); }, write_mcap);
}

bool db3(std::string_view bytes) {
  return round_trip(
      bytes_of(bytes), [](ByteSource& source) { return read_db3(source, "x.db3"); },
      [](const Log&, std::FILE*, const std::string&) { throw Error("not written"); });
}

bool cdr(std::string_view bytes) {
  try {
    const JointState state = read_joint_state(bytes, "x.mcap");
    for (const auto* list : {&state.position, &state.velocity, &state.effort})
      if (!list->empty() && !state.name.empty() && list->size() != state.name.size())
        throw Broken("a message has another number of values than of names");
    return true;
  } catch (const Error& error) {
    if (error.finding().empty() || error.place().file.empty()) throw Broken("an error without a finding or a place");
    return false;
  }
}

}  // namespace armature::fuzz
