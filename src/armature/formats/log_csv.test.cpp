#include "armature/formats/log_csv.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::formats;

namespace {

File file_with(const std::string& text) {
  File file(std::tmpfile());
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(text.data(), 1, text.size(), file.get()) == text.size());
  std::rewind(file.get());
  return file;
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  return text;
}

std::string written(const Log& log) {
  const File file(std::tmpfile());
  write_log(log, file.get(), "log.csv");
  return content_of(file.get());
}

Log read(const std::string& text, LogReader::Missing missing = LogReader::Missing::allowed) {
  LogReader reader(file_with(text), "log.csv", missing);
  return read_log(reader);
}

std::string complaint(const std::string& text, LogReader::Missing missing = LogReader::Missing::allowed) {
  try {
    read(text, missing);
  } catch (const Error& error) {
    return error.what();
  }
  return "no complaint";
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

Log example() {
  Log log;
  log.title = "reach";
  log.facts = {{"seed", "42"}, {"scenario", "a: 1\nb: \\ 2\r\n"}};
  log.time = {0, 0.001, 0.002};
  log.add("q1", "rad").values = {0.1, 1.0 / 3, -0.0};
  log.add("tau1", "N m").values = {1e300, std::numeric_limits<double>::denorm_min(), NAN};
  log.add("mode", "").values = {1, 2, 3};
  log.events = {{0.0005, "stick", "joint 2"}, {0.002, "a; b", "c; d\ne"}};
  return log;
}

}  // namespace

TEST_CASE("a log looks as the header file says") {
  Log log;
  log.title = "reach";
  log.facts = {{"seed", "42"}};
  log.time = {0, 0.001};
  log.add("q1", "rad").values = {0.1, 0.1};
  log.add("tau1", "N m").values = {0, NAN};
  log.events = {{0.0005, "stick", "joint 2"}};
  CHECK(written(log) ==
        "# armature log: 1\n"
        "# title: reach\n"
        "# seed: 42\n"
        "time [s],q1 [rad],tau1 [N m]\n"
        "0,0.1,0\n"
        "# event: 0.0005; stick; joint 2\n"
        "0.001,0.1,nan\n"
        "# end: 2 rows\n");
}

TEST_CASE("what is written reads back as exactly the same log") {
  Log log = example();
  for (const std::string& reason : {std::string(), std::string("diverged at 0.002 s\n  hint: lower the gains")}) {
    log.incomplete = reason;
    const Log back = read(written(log));
    CHECK(back.title == log.title);
    CHECK(back.facts == log.facts);
    CHECK(back.incomplete == log.incomplete);
    CHECK(same_bits(back.time, log.time));
    REQUIRE(back.channels.size() == log.channels.size());
    for (std::size_t i = 0; i < log.channels.size(); ++i) {
      CHECK(back.channels[i].name == log.channels[i].name);
      CHECK(back.channels[i].unit == log.channels[i].unit);
      for (std::size_t k = 0; k < log.time.size(); ++k) {
        const double a = log.channels[i].values[k], b = back.channels[i].values[k];
        CHECK((std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b)));
      }
    }
    REQUIRE(back.events.size() == log.events.size());
    for (std::size_t i = 0; i < log.events.size(); ++i) {
      CHECK(back.events[i].time == log.events[i].time);
      CHECK(back.events[i].kind == log.events[i].kind);
      CHECK(back.events[i].detail == log.events[i].detail);
    }
    CHECK(written(back) == written(log));
  }
}

TEST_CASE("texts of any characters survive, also those that mean something in the file") {
  Random random(3);
  const std::string characters = std::string("a :;\\#,\"\n\r\tnrst0[]") + '\0' + "\xC3\xA9";
  for (int trial = 0; trial < 500; ++trial) {
    const auto text = [&] {
      std::string word;
      for (auto n = random.bits() % 6; n > 0; --n) word += characters[random.bits() % characters.size()];
      return word;
    };
    Log log;
    log.title = text();
    log.incomplete = text();
    for (int i = 0; i < 3; ++i) log.facts.emplace_back(text(), text());
    for (const char* key : {"title", "event", "end", "incomplete", "armature log", "fact title", "fact fact x"})
      log.facts.emplace_back(key, text());
    log.events = {{0.5, text(), text()}};
    log.time = {0, 1};
    log.add("a, b [c]", "").values = {1, 2};
    log.add("d", "m/s").values = {3, 4};
    const Log back = read(written(log));
    CHECK(back.title == log.title);
    CHECK(back.incomplete == log.incomplete);
    CHECK(back.facts == log.facts);
    CHECK(back.events[0].kind == log.events[0].kind);
    CHECK(back.events[0].detail == log.events[0].detail);
    CHECK(back.channels[0].name == "a, b [c]");
    CHECK(back.channels[0].unit == "");
    CHECK(back.channels[1].unit == "m/s");
  }
}

TEST_CASE("a hundred thousand random numbers come back bit for bit, row by row") {
  Random random(4);
  const File file(std::tmpfile());
  const std::array columns{LogColumn{"a", "m"}, LogColumn{"b", ""}};
  LogWriter writer(file.get(), "log.csv", "", {}, columns);
  std::vector<std::array<double, 2>> rows;
  for (int k = 0; k < 50'000; ++k) {
    std::array<double, 2> row{};
    for (double& number : row) do {
        const std::uint64_t bits = random.bits();
        std::memcpy(&number, &bits, sizeof number);
      } while (!std::isfinite(number));
    rows.push_back(row);
    writer.row(k * 1e-3, row);
    if (k % 1000 == 0) writer.event({k * 1e-3, "mark", ""});
  }
  writer.finish();
  LogReader reader(file_with(content_of(file.get())), "log.csv");
  CHECK(reader.columns() == std::vector<LogColumn>(columns.begin(), columns.end()));
  double time = 0;
  std::array<double, 2> row{};
  const auto bits_of = [](const std::array<double, 2>& numbers) {
    return std::bit_cast<std::array<std::uint64_t, 2>>(numbers);
  };
  bool same = true;
  std::size_t k = 0, events = 0;
  for (; reader.next(time, row); ++k) {
    same = same && time == static_cast<double>(k) * 1e-3 && bits_of(row) == bits_of(rows[k]);
    events += reader.take_events().size();
  }
  events += reader.take_events().size();
  CHECK(same);
  CHECK(k == rows.size());
  CHECK(events == 50);
  CHECK(reader.incomplete().empty());
}

TEST_CASE("channels are chosen by name, in any order") {
  LogReader reader(file_with("time [s],q1 [rad],q2 [rad]\n0,1,2\n1,3,4\n"), "log.csv");
  reader.select({"q2", "q1"});
  double time = -1;
  std::array<double, 2> row{};
  REQUIRE(reader.next(time, row));
  CHECK(row == std::array{2.0, 1.0});
  CHECK_THROWS_WITH_AS(reader.select({"q1", "Q2", "x"}),
                       "log.csv: the log has no channels 'Q2', 'x'\n  hint: did you mean 'q2'?", FormatError);
}

TEST_CASE("a table from elsewhere is a log when it has the time") {
  const Log log = read("# source: bench 3\n# just a remark\nq1 [rad], time [ms] ,note [x]\n1,0,\n2,0.5,7\n");
  CHECK(log.time == std::vector<double>{0, 0.0005});
  CHECK(log.facts == LogFacts{{"source", "bench 3"}});
  CHECK(log.channel("q1").values == std::vector<double>{1, 2});
  CHECK(std::isnan(log.channel("note").values[0]));
  CHECK(log.incomplete.empty());
  CHECK(read("t,a\n0,1\n0.1,2").time == std::vector<double>{0, 0.1});  // no unit, no last line end
  CHECK(read("t [m],time,a\n3,0,1\n").channel("t").unit == "m");
}

TEST_CASE("a log that was not finished is kept as far as it goes, and says so") {
  const std::string whole = written(example());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    const std::string part = whole.substr(0, length);
    const std::size_t header_end = whole.find('\n', whole.find("time [s]"));
    if (length <= header_end) {  // within the header: either refused or without rows
      const std::string said = complaint(part);
      CHECK((said != "no complaint" || read(part).time.empty()));
      continue;
    }
    const Log log = read(part);
    CHECK((!log.incomplete.empty() || length + 1 == whole.size()));  // only the last line end is missing
    const Log full = example();
    for (std::size_t k = 0; k < log.time.size(); ++k) {
      CHECK(log.time[k] == full.time[k]);
      CHECK(log.channel("q1").values[k] == full.channel("q1").values[k]);
      CHECK(log.channel("mode").values[k] == full.channel("mode").values[k]);
    }
    const auto lines = std::count(part.begin() + static_cast<std::ptrdiff_t>(header_end) + 1, part.end(), '\n');
    CHECK(log.time.size() + log.events.size() >= std::min<std::size_t>(5, static_cast<std::size_t>(lines)));
  }
}

TEST_CASE("bad logs are named with line, column and hint") {
  CHECK(complaint("time [s],q1\n0,1\n0.2,2\n0.1,3\n") ==
        "log.csv:4:1: the time 0.1 s follows 0.2 s\n  hint: rows are in order of time; are two logs appended?");
  CHECK(complaint("q1,time [s]\n0,1\n1,1\n") == "log.csv:3:3: the time 1 s follows 1 s\n  hint: is a row repeated?");
  CHECK(complaint("time [s],q1\n0,1\n,2\n") ==
        "log.csv:3:1: the time is missing in this row\n  hint: every row has its time");
  CHECK(complaint("time [s],q1 [rad]\n0,1\n1,abc\n") ==
        "log.csv:3:3: column 'q1 [rad]' holds 'abc', which is not a number\n"
        "  hint: write a number, e.g. 0.25 or -1e-3");
  CHECK(complaint("time [s],q1 [rad]\n0,1\n1,inf\n").starts_with("log.csv:3:3: column 'q1 [rad]' holds 'inf'"));
  CHECK(complaint("time [s],q1 [rad]\n0,1\n1\n2,3\n").starts_with("log.csv:3:2: the row has 1 cell, the header has 2"));
  CHECK(complaint("time [s],q1 [rad]\n0,1\n1,\n", LogReader::Missing::refused) ==
        "log.csv:3:3: column 'q1 [rad]' is empty in this row\n  hint: write a number");
  CHECK(complaint("time [s],q1 [rad]\n0,1\n1,nan\n", LogReader::Missing::refused).find("not finite") !=
        std::string::npos);
  CHECK(complaint("q1,q2\n1,2\n") ==
        "log.csv:1: there is no column 'time'\n"
        "  hint: a log has the time in a column 'time [s]'; this begins with 'q1'. A map may name it: `time: NAME`");
  CHECK(complaint("time [rad],q1\n0,1\n") ==
        "log.csv:1: the time is given in 'rad'\n  hint: e.g. time [s] or time [ms]");
  CHECK(complaint("time,q1 [rad],q1 [deg]\n0,1,2\n") ==
        "log.csv:1: the column 'q1' appears twice\n  hint: names must differ");
  CHECK(complaint("time,[rad]\n0,1\n").find("has a unit but no name") != std::string::npos);
  CHECK(complaint("# armature log: 7\ntime [s],q1\n0,1\n") ==
        "log.csv:1: is a log of version 7\n  hint: this program reads version 1");
  CHECK(complaint("# armature log: 1\ntime [s],q1\n0,1\n# end: 2 rows\n") ==
        "log.csv: has 1 rows, but was written with 2\n  hint: were rows lost or added?");
  CHECK(complaint("# armature log: 1\ntime [s],q1\n0,1\n# event: soon\n1,2\n# end: 2 rows\n") ==
        "log.csv:4: the event 'soon' cannot be read\n  hint: e.g. 0.25; stick; joint 2");
}

TEST_CASE("stamps of a clock are counted from the first, to the last digit") {
  const auto times = [](const std::string& stamps) { return read("time,q1\n" + stamps).time; };
  CHECK(times("1460034856.877162,0\n1460034856.882162,1\n") == std::vector<double>{0, 0.882162 - 0.877162});
  // a double holds nanoseconds since 1970 to 256 of them: 1460034856877162001 and ...128 would be one
  CHECK(times("1460034856877162001,0\n1460034856877162128,1\n1460034857877162001,2\n") ==
        std::vector<double>{0, 127e-9, 1});
  CHECK(times("1460034856877,0\n1460034856882,1\n") == std::vector<double>{0, 5 * 1e-3});
  const Log log =
      read("%time,field.header.seq,field.position0\n1460034856877162001,7,0.5\n1460034856882162001,8,0.6\n");
  CHECK(log.time == std::vector<double>{0, 5e6 * 1e-9});
  CHECK(log.channel("field.position0").values == std::vector<double>{0.5, 0.6});
  CHECK(log.facts == LogFacts{{"time_origin", "1460034856877162001 ns"}});
  CHECK(times("100,0\n101,1\n") == std::vector<double>{100, 101});  // a clock of its own
}

TEST_CASE("the time is found under the names that recorders give it") {
  for (const char* header : {"time,q1", "t,q1", "Time (s),q1", "timestamp,q1", "%time,q1", "time_s,q1"})
    CHECK(read(std::string(header) + "\n0.5,1\n1,2\n").time == std::vector<double>{0.5, 1});
  CHECK(read("time_ms,q1\n500,1\n1000,2\n").time == std::vector<double>{0.5, 1});
  CHECK(read("time (ms),q1 (deg)\n500,1\n1000,2\n").channels[0].unit == "deg");
}

TEST_CASE("the same table is read whatever separates its cells") {
  const Log plain = read("time [s],q1 [rad],tau1 [N m]\n0,0.5,-1e-3\n0.25,,2\n");
  for (const char* text : {"time [s];q1 [rad];tau1 [N m]\n0;0.5;-1e-3\n0.25;;2\n",
                           "time [s];q1 [rad];tau1 [N m]\r\n0;0,5;-1e-3\r\n0,25;;2\r\n",
                           "time [s]\tq1 [rad]\ttau1 [N m]\n0\t0.5\t-1e-3\n0.25\t\t2\n",
                           "time [s];q1 [rad];tau1 [N m];\n0;0,5;-1e-3;\n0,25;;2;\n",
                           "time [s] q1 [rad]  tau1 [N m]\n0 0.5 -1e-3\n 0.25\tnan   2 \n",
                           "# time [s],q1 [rad],tau1 [N m]\n0,0.5,-1e-3\n0.25,NaN,2\n",
                           "\xEF\xBB\xBFtime [s],q1 [rad],tau1 [N m]\n0,0.5,-1e-3\n0.25,null,2\n"}) {
    CAPTURE(text);
    const Log log = read(text);
    CHECK(log.time == plain.time);
    REQUIRE(log.channels.size() == 2);
    for (std::size_t c = 0; c < 2; ++c) {
      CHECK(log.channels[c].name == plain.channels[c].name);
      CHECK(log.channels[c].unit == plain.channels[c].unit);
    }
    CHECK(log.channels[0].values[0] == 0.5);
    CHECK(std::isnan(log.channels[0].values[1]));
    CHECK(log.channels[1].values == plain.channels[1].values);
  }
  CHECK(complaint("time;q1\n0;0.5\n1;0,6\n").find("one or the other") != std::string::npos);
  CHECK(complaint("time;q1\n0;1.000,5\n").find("not a number") != std::string::npos);
}

TEST_CASE("rows as they were recorded may repeat, go back and lack their stamp") {
  const Log log = read("time,q1\n0,1\n0,1\n1,2\n0.5,3\n,4\n", LogReader::Missing::raw);
  CHECK(log.time.size() == 5);
  CHECK(log.time[3] == 0.5);
  CHECK(std::isnan(log.time[4]));
}

TEST_CASE("a damaged log is read or refused with a place, never anything else") {
  Random random(6);
  const std::string whole = written(example());
  int refused = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    std::string text = whole;
    for (auto n = 1 + random.bits() % 3; n > 0; --n) {
      const std::size_t place = random.bits() % text.size();
      switch (random.bits() % 3) {
        case 0:
          text[place] = static_cast<char>(random.bits());
          break;
        case 1:
          text.erase(place, random.bits() % 5);
          break;
        default:
          text.insert(place, 1, ",\n#:;\\\"e-"[random.bits() % 9]);
      }
    }
    try {
      const Log log = read(text);
      for (const double time : log.time) CHECK(std::isfinite(time));
      for (const Channel& channel : log.channels) {
        CHECK(channel.values.size() == log.time.size());
        for (const double value : channel.values) CHECK_FALSE(std::isinf(value));
      }
    } catch (const FormatError& error) {
      ++refused;
      CHECK(error.place().file == "log.csv");
      CHECK_FALSE(error.finding().empty());
    }
  }
  CHECK(refused > 500);
}

TEST_CASE("what cannot be a log is not written") {
  const File file(std::tmpfile());
  Log log = example();
  log.channels[1].values.pop_back();
  CHECK_THROWS_WITH_AS(write_log(log, file.get(), "log.csv"),
                       doctest::Contains("channel 'tau1' has 2 values, the log has 3 times"), Error);
  log = example();
  log.time[2] = log.time[1];
  CHECK_THROWS_WITH_AS(write_log(log, file.get(), "log.csv"), doctest::Contains("times are finite and increase"),
                       Error);
  log = example();
  log.channels[0].values[1] = INFINITY;
  CHECK_THROWS_WITH_AS(write_log(log, file.get(), "log.csv"), doctest::Contains("channel 'q1' is infinite at 0.001 s"),
                       Error);
  for (const auto& [name, unit] :
       {std::pair("", "m"), std::pair("a\nb", ""), std::pair("a", "m]"), std::pair(" a", ""), std::pair("time", "s")}) {
    log = Log{};
    log.channels.push_back({name, unit, {}});
    CHECK_THROWS_AS(write_log(log, file.get(), "log.csv"), Error);
  }
}

TEST_CASE("a log without rows is a log") {
  Log log;
  log.add("q1", "rad");
  log.incomplete = "stopped before the first sample";
  const Log back = read(written(log));
  CHECK(back.time.empty());
  CHECK(back.channels[0].name == "q1");
  CHECK(back.incomplete == log.incomplete);
}
