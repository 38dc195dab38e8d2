#include "armature/formats/table.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "armature/core/random.hpp"
#include "armature/core/text.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::formats;

namespace {

File table_file(const std::string& text) {
  File file(std::tmpfile());
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(text.data(), 1, text.size(), file.get()) == text.size());
  std::rewind(file.get());
  return file;
}

using Rows = std::vector<std::vector<double>>;

Rows read(const std::string& text, const std::vector<std::string>& wanted) {
  TableReader table(table_file(text), "t.csv");
  table.select(wanted);
  Rows rows;
  std::vector<double> row(wanted.size());
  while (table.next(row)) rows.push_back(row);
  return rows;
}

/// What reading q1 and q2 from `text` complains about.
std::string table_complaint(const std::string& text) {
  try {
    read(text, {"q1", "q2"});
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no complaint";
}

double from_bits(std::uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

}  // namespace

TEST_CASE("columns are found by name, in any order, and the others left alone") {
  const std::string text = "name,q2,t,q1\nleft,2,0,1\nright,4,nonsense,3\n";
  CHECK(read(text, {"q1", "q2"}) == Rows{{1, 2}, {3, 4}});
  TableReader table(table_file(text), "t.csv");
  table.select({"q1", "q2"});
  CHECK(table.unused_columns() == std::vector<std::string>{"name", "t"});
}

TEST_CASE("line ends, byte-order mark, quotes, blanks, comments and a missing last newline do not matter") {
  const Rows rows{{1, -2.5}, {3e-4, 4}};
  CHECK(read("q1,q2\n1,-2.5\n3e-4,4\n", {"q1", "q2"}) == rows);
  CHECK(read("q1,q2\r\n1,-2.5\r\n3e-4,4\r\n", {"q1", "q2"}) == rows);
  CHECK(read("\xEF\xBB\xBFq1,q2\n1,-2.5\n3e-4,4", {"q1", "q2"}) == rows);
  CHECK(read("\xEF\xBB\xBF# made by hand\nq1,q2\n1,-2.5\n3e-4,4", {"q1", "q2"}) == rows);
  CHECK(read("\"q1\", \"q2\" \n\"1\",\"-2.5\"\n 3e-4 ,\t4\n", {"q1", "q2"}) == rows);
  CHECK(read("# comment\n\nq1,q2\n# 9,9\n1,-2.5\n   \n+3e-4,4.0\n\n", {"q1", "q2"}) == rows);
  CHECK(read("q1,\"note, with comma\",q2\n1,\"a,b\",-2.5\n3e-4,,4\n", {"q1", "q2"}) == rows);
}

TEST_CASE("a line that crosses the read buffer comes out whole") {
  for (const std::size_t padding : {65'530U, 65'535U, 65'536U, 131'072U, 1'000'000U}) {
    CAPTURE(padding);
    CHECK(read("q1,q2\n" + std::string(padding, ' ') + "1,2\n3,4\n", {"q1", "q2"}) == Rows{{1, 2}, {3, 4}});
  }
}

TEST_CASE("every complaint has a place, a finding and a hint") {
  CHECK(table_complaint("q1,q2\n1,x\n") ==
        "t.csv:2:3: column 'q2' holds 'x', which is not a number\n  hint: write a number, e.g. 0.25 or -1e-3");
  CHECK(table_complaint("q1,q2\n1,10 deg\n") ==
        "t.csv:2:3: column 'q2' holds '10 deg', which is not a number\n"
        "  hint: numbers in tables are SI (rad, m, s, N m) and carry no unit");
  CHECK(table_complaint("q1,q2\n1,2\n3\n") ==
        "t.csv:3:2: the row has 1 cell, the header has 2\n  hint: every row has one cell a column");
  CHECK(table_complaint("q1,qq2\n1,2\n") ==
        "t.csv:1: the column 'q2' is missing\n  hint: the table has 'q1', 'qq2'; is 'qq2' meant as 'q2'?");
  CHECK(table_complaint("q1,q2,q1\n1,2,3\n") == "t.csv:1:7: the column 'q1' appears twice\n  hint: names must differ");
  CHECK(table_complaint("1,2\n3,4\n") ==
        "t.csv:1: the first line holds numbers, not the names of the columns\n"
        "  hint: put a header above them, e.g. q1,q2,q3");
  CHECK(table_complaint("") == "t.csv: is empty\n  hint: a table begins with the names of its columns, e.g. q1,q2,q3");
  CHECK(table_complaint("q1,q2\n") ==
        "t.csv: has a header but no rows\n  hint: write one row of numbers per line below it");
}

TEST_CASE("a line without end is refused before it fills the memory") {
  CHECK(
      table_complaint("q1,q2\n" + std::string(3 * longest_table_line, '1')).starts_with("t.csv:2: the line is longer"));
  CHECK(table_complaint(std::string(2 * longest_table_line, ',')).starts_with("t.csv:1: the line is longer"));
  CHECK(table_complaint(std::string(longest_table_line / 2, ',')).find("columns") != std::string::npos);
}

TEST_CASE("a damaged table is read or refused with a place, never anything else") {
  Random random(11);
  const std::string sound = "q1,\"q2\",t\r\n# note\n0.25,-1e-3,7\n\"1\", 2 ,\"x,y\"\n\n3,4,5";
  const std::string bytes = "\",\n\r#-+.eE19 \t\xEF\xBB\xBF\xFF\xFEqn;";
  int read_whole = 0, refused = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text = sound;
    for (auto changes = 1 + random.bits() % 4; changes > 0 && !text.empty(); --changes) {
      const std::size_t where = random.bits() % text.size();
      const char byte = bytes[random.bits() % bytes.size()];
      switch (random.bits() % 4) {
        case 0:
          text[where] = byte;
          break;
        case 1:
          text.insert(where, 1, byte);
          break;
        case 2:
          text.erase(where, 1);
          break;
        default:
          text.resize(where + 1);
      }
    }
    try {
      for (const auto& row : read(text, {"q1", "q2"})) CHECK(row.size() == 2);
      ++read_whole;
    } catch (const FormatError& error) {
      CHECK(error.place().file == "t.csv");
      CHECK_FALSE(error.hint().empty());
      ++refused;
    }
  }
  CHECK(read_whole > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("what is written reads back as exactly the same numbers") {
  Random random(7);
  Rows rows{{0.0, -0.0, 1.0}, {0.1, 1.0 / 3, 6.02214076e23}};
  rows.push_back({std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
                  std::numeric_limits<double>::epsilon()});
  while (rows.size() < 20'000) {
    std::vector<double> row;
    while (row.size() < 3)
      if (const double number = from_bits(random.bits()); std::isfinite(number)) row.push_back(number);
    rows.push_back(row);
  }
  File file(std::tmpfile());
  TableWriter writer(file.get(), "t.csv");
  writer.header(std::array<std::string, 3>{"a", "b", "c"});
  for (const auto& row : rows) writer.row(row);
  writer.flush();
  std::rewind(file.get());
  TableReader reader(std::move(file), "t.csv");
  reader.select({"a", "b", "c"});
  std::array<double, 3> read_back{};
  bool same = true;
  for (const auto& row : rows) {
    REQUIRE(reader.next(read_back));
    same = same && std::memcmp(row.data(), read_back.data(), sizeof read_back) == 0;  // to the sign of zero
  }
  CHECK(same);
  CHECK_FALSE(reader.next(read_back));
}

TEST_CASE("tables spell numbers as exact_text does") {
  for (const double number : {0.0, 1.0, 1e16, 1e-5, 123456.789, -2.5e-300, 1e22}) {
    File file(std::tmpfile());
    TableWriter writer(file.get(), "t.csv");
    writer.row(std::array{number});
    writer.flush();
    std::rewind(file.get());
    std::array<char, 64> text{};
    REQUIRE(std::fgets(text.data(), text.size(), file.get()) != nullptr);
    CHECK(std::string(text.data()) == exact_text(number) + "\n");
  }
}

TEST_CASE("a full disk is an error, not a short file") {
  File full(std::fopen("/dev/full", "wb"));
  if (full == nullptr) {
    MESSAGE("skipped: there is no /dev/full here");
    return;
  }
  TableWriter writer(full.get(), "result.csv");
  const auto write = [&] {
    for (int i = 0; i < 100'000; ++i) writer.row(std::array{1.0 / 3});
    writer.flush();
  };
  CHECK_THROWS_WITH_AS(write(), doctest::Contains("result.csv: cannot be written: No space left on device"), Error);
}
