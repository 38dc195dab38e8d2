// NPZ and MCAP are read back by programs that know nothing of ours: NumPy, and a walk through the published record layout.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/formats/bytes.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::formats;

namespace {

/// A folder that goes when the test ends.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "armature-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

/// A Python that can import `module`.
std::optional<std::string> python_with(const std::string& module) {
  for (const char* python : {"python3", "/usr/bin/python3"})
    if (std::system(
            ("PYTHONDONTWRITEBYTECODE=1 " + std::string(python) + " -c 'import " + module + "' 2>/dev/null").c_str()) ==
        0)
      return python;
  return std::nullopt;
}

void write(const Log& log, const std::filesystem::path& path,
           const std::function<void(const Log&, std::FILE*, const std::string&)>& writer) {
  const File file(std::fopen(path.c_str(), "wb"));
  REQUIRE(file != nullptr);
  writer(log, file.get(), path.filename());
}

bool reads_back(const std::string& python, const std::string& script, const std::filesystem::path& binary,
                const std::filesystem::path& csv, bool quiet = false) {
  const std::string command = python + " '" + testing::source_folder + "/src/armature/formats/" + script + "' '" +
                              binary.string() + "' '" + csv.string() + "'" + (quiet ? " >/dev/null 2>&1" : "");
  return std::system(command.c_str()) == 0;
}

Log example(int samples) {
  Random random(5);
  Log log;
  log.title = "réach";
  log.facts = {{"seed", "42"}, {"scenario", "a: \"1\"\nb: é\n"}, {"seed", "again"}};
  Channel q{"q1", "rad", {}}, tau{"τ1", "N m", {}}, mode{"mode", "", {}};
  for (int k = 0; k < samples; ++k) {
    log.time.push_back((k - 3) * 1e-3);
    q.values.push_back(random.normal());
    tau.values.push_back(k % 7 == 0 ? NAN : random.normal() * std::pow(10, random.uniform(-300, 300)));
    mode.values.push_back(k % 3);
    if (k % 100 == 50) log.events.push_back({log.time.back(), "stick", "joint \"2\"\n"});
  }
  log.channels = {q, tau, mode};
  return log;
}

void flip_byte(const std::filesystem::path& path, std::uint64_t place) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place));
  const char byte = static_cast<char>(file.get());
  file.seekp(static_cast<std::streamoff>(place));
  file.put(static_cast<char>(byte ^ 0x10));
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the checksum is the one everybody uses") {
  CHECK(crc32("123456789") == 0xCBF43926U);  // the check value of CRC-32/ISO-HDLC
  CHECK(crc32("") == 0);
  CHECK(crc32("6789", crc32("12345")) == crc32("123456789"));
}

TEST_CASE("NumPy reads a log from NPZ exactly") {
  const auto python = python_with("numpy");
  if (!python) {
    MESSAGE("skipped: no python3 with numpy here");
    return;
  }
  for (const int samples : {0, 1, 5000}) {
    CAPTURE(samples);
    const Folder folder;
    const Log log = example(samples);
    write(log, folder.path / "log.npz", write_npz);
    write(log, folder.path / "log.csv", write_log);
    CHECK(reads_back(*python, "npz.test.py", folder.path / "log.npz", folder.path / "log.csv"));
    write(log, folder.path / "again.npz", write_npz);
    CHECK(bytes_of(folder.path / "log.npz") == bytes_of(folder.path / "again.npz"));
    flip_byte(folder.path / "log.npz", 135);  // in the time, or in the directory of a log without samples
    CHECK_FALSE(reads_back(*python, "npz.test.py", folder.path / "log.npz", folder.path / "log.csv", true));
  }
}

TEST_CASE("every record of an MCAP file is where the format says, with the log's numbers in it") {
  const auto python = python_with("zlib");
  if (!python) {
    MESSAGE("skipped: no python3 here");
    return;
  }
  for (const int samples : {0, 1, 5000, 40'000}) {  // the last in several chunks
    CAPTURE(samples);
    const Folder folder;
    const std::filesystem::path mcap = folder.path / "log.mcap", csv = folder.path / "log.csv";
    const Log log = example(samples);
    write(log, mcap, write_mcap);
    write(log, csv, write_log);
    CHECK(reads_back(*python, "mcap.test.py", mcap, csv));
    write(log, folder.path / "again.mcap", write_mcap);
    CHECK(bytes_of(mcap) == bytes_of(folder.path / "again.mcap"));
    if (samples > 5000) continue;
    for (const std::uint64_t place :
         {std::uint64_t{40}, std::filesystem::file_size(mcap) / 2, std::filesystem::file_size(mcap) - 60}) {
      flip_byte(mcap, place);
      CHECK_FALSE(reads_back(*python, "mcap.test.py", mcap, csv, true));
      flip_byte(mcap, place);
    }
    CHECK(reads_back(*python, "mcap.test.py", mcap, csv, true));
  }
}

TEST_CASE("what does not fit is refused with a reason") {
  const File file(std::tmpfile());
  for (const auto& writer : {write_npz, write_mcap}) {
    Log log = example(10);
    log.channels[1].values.pop_back();
    CHECK_THROWS_WITH_AS(writer(log, file.get(), "x"), doctest::Contains("has 9 values, the log has 10 times"), Error);
    log = example(10);
    log.channels[1].name = "q1";
    CHECK_THROWS_WITH_AS(writer(log, file.get(), "x"), doctest::Contains("'q1'"), Error);
    log.channels[1].name = "time";
    CHECK_THROWS_WITH_AS(writer(log, file.get(), "x"), doctest::Contains("'time'"), Error);
  }
  Log log = example(2);
  log.time[1] = 1e300;
  CHECK_THROWS_WITH_AS(write_mcap(log, file.get(), "x"), doctest::Contains("does not fit into MCAP"), Error);
  const File full(std::fopen("/dev/full", "wb"));
  if (full == nullptr) return;
  for (const auto& writer : {write_npz, write_mcap})
    CHECK_THROWS_WITH_AS(writer(example(5000), full.get(), "x"), doctest::Contains("x: cannot be written"), Error);
}
