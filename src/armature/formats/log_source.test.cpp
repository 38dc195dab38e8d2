// One log, four formats: the same numbers whichever it is read from; and what is damaged or hostile is refused with a sentence.
#include "armature/formats/log_source.hpp"

#include <lzma.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "armature/core/random.hpp"
#include "armature/formats/byte_source.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::formats;
namespace fs = std::filesystem;

namespace {

/// A folder that goes when the test ends.
struct LogFolder {
  fs::path path;
  LogFolder() {
    std::string name = (fs::temp_directory_path() / "armature-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~LogFolder() { fs::remove_all(path); }
};

void put(const fs::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }
std::string bytes_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const Log& log, const fs::path& path, void (*writer)(const Log&, std::FILE*, const std::string&)) {
  const File file(std::fopen(path.c_str(), "wb"));
  REQUIRE(file != nullptr);
  writer(log, file.get(), path.filename());
}

/// Packs `text`, then `more` times `block`.
std::string packed(const std::string& text, const std::string& block = {}, int more = 0) {
  lzma_stream stream = LZMA_STREAM_INIT;
  REQUIRE(lzma_easy_encoder(&stream, 1, LZMA_CHECK_CRC64) == LZMA_OK);
  std::string bytes, buffer(1 << 16, '\0');
  for (int i = 0; i <= more; ++i) {
    const std::string& piece = i == 0 ? text : block;
    stream.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
    stream.avail_in = piece.size();
    lzma_ret answer = LZMA_OK;
    do {
      stream.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
      stream.avail_out = buffer.size();
      answer = lzma_code(&stream, i == more ? LZMA_FINISH : LZMA_RUN);
      bytes.append(buffer, 0, buffer.size() - stream.avail_out);
    } while (i == more ? answer != LZMA_STREAM_END : stream.avail_in > 0);
  }
  lzma_end(&stream);
  return bytes;
}

Log log_example(int samples) {
  Random random(7);
  Log log;
  log.title = "réach";
  log.facts = {{"seed", "42"}, {"scenario", "a: \"1\"\nb: é\n"}};
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

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i) equal = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
  return equal;
}

void check_same(const Log& a, const Log& b) {
  CHECK(a.title == b.title);
  CHECK(a.facts == b.facts);
  CHECK(a.incomplete == b.incomplete);
  CHECK(same(a.time, b.time));
  REQUIRE(a.channels.size() == b.channels.size());
  for (std::size_t i = 0; i < a.channels.size(); ++i) {
    CHECK(a.channels[i].name == b.channels[i].name);
    CHECK(a.channels[i].unit == b.channels[i].unit);
    CHECK(same(a.channels[i].values, b.channels[i].values));
  }
  REQUIRE(a.events.size() == b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    CHECK(a.events[i].time == b.events[i].time);
    CHECK(a.events[i].kind == b.events[i].kind);
    CHECK(a.events[i].detail == b.events[i].detail);
  }
}

std::string complaint(const fs::path& path) {
  try {
    read_log(path.string());
  } catch (const Error& error) {
    CHECK_FALSE(error.hint().empty());
    return std::string(error.what()).substr(path.string().size());
  }
  return "no complaint";
}

}  // namespace

TEST_CASE("a log is the same from CSV, packed CSV, NPZ and MCAP") {
  for (const int samples : {0, 1, 3000, 20'000}) {  // the last in several chunks of MCAP
    CAPTURE(samples);
    const LogFolder folder;
    Log log = log_example(samples);
    if (samples == 1) log.incomplete = "stopped";
    write(log, folder.path / "log.csv", write_log);
    write(log, folder.path / "log.npz", write_npz);
    write(log, folder.path / "log.mcap", write_mcap);
    put(folder.path / "log.csv.xz", packed(bytes_in(folder.path / "log.csv")));
    for (const char* name : {"log.csv", "log.csv.xz", "log.npz", "log.mcap"}) {
      CAPTURE(name);
      check_same(log, read_log((folder.path / name).string()));
      if (samples == 0) continue;
      const auto rows = open_log((folder.path / name).string());
      rows->select({"mode", "q1"});
      double time = 0;
      std::vector<double> values(2);
      REQUIRE(rows->next(time, values));
      CHECK(time == log.time[0]);
      CHECK(values == std::vector<double>{log.channels[2].values[0], log.channels[0].values[0]});
      CHECK_THROWS_WITH_AS(rows->select({"q2"}), doctest::Contains("the log has no channel 'q2'"), FormatError);
      const auto strict = open_log((folder.path / name).string(), LogSource::Missing::refused);
      values.resize(3);
      CHECK_THROWS_AS(strict->next(time, values), FormatError);  // the first torque was not recorded
    }
  }
}

TEST_CASE("what NumPy saves is a log, compressed or not") {
  const std::string python = "/usr/bin/python3";
  if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0) {
    MESSAGE("skipped: no python3 with numpy here");
    return;
  }
  const LogFolder folder;
  const std::string script =
      "import numpy as n\n"
      "t = n.arange(500) * 1e-3\n"
      "q = n.stack([n.sin(t), n.cos(t)], axis=1)\n"
      "numbers = dict(time=t, q=q, f=n.asfortranarray(q), tau1=n.float32(t / 3), count=n.arange(500) - 250, "
      "low=n.int16(n.arange(500) - 9), "
      "on=t > 0.2)\n"
      "n.savez('plain.npz', **numbers)\n"
      "n.savez_compressed('packed.npz', **numbers)\n"
      "n.savez('text.npz', time=t, name=n.array(['a'] * 500))\n"
      "n.savez('big_end.npz', time=t.astype('>f8'))\n"
      "n.savez('short.npz', time=t, q1=t[:9])\n"
      "n.savez('timeless.npz', q1=t)\n"
      "n.savez('backwards.npz', t=t[::-1])\n"
      "n.savez('scalar.npz', time=t, rate=1000)\n"
      "n.savez('infinite.npz', time=t, q1=1 / n.maximum(t - 0.1, 0))\n"
      "open('expected.csv', 'w').write('\\n'.join(','.join(repr(float(x)) for x in row) for row in "
      "zip(t, q[:, 0], q[:, 1], q[:, 0], q[:, 1], n.float32(t / 3), n.arange(500) - 250, n.arange(500) - 9, t > "
      "0.2)))\n";
  put(folder.path / "make.py", script);
  REQUIRE(std::system(("cd '" + folder.path.string() + "' && " + python + " -W ignore make.py").c_str()) == 0);
  put(folder.path / "named.csv", "time [s],q1,q2,f1,f2,tau1,count,low,on\n" + bytes_in(folder.path / "expected.csv"));
  const Log expected = read_log((folder.path / "named.csv").string());
  for (const char* name : {"plain.npz", "packed.npz"}) check_same(expected, read_log((folder.path / name).string()));
  CHECK(complaint(folder.path / "text.npz").starts_with(": the array 'name' holds '<U1', which are no numbers"));
  CHECK(complaint(folder.path / "big_end.npz").starts_with(": the array 'time' holds '>f8'"));
  CHECK(complaint(folder.path / "short.npz").starts_with(": channel 'q1' has 9 values, the time has 500"));
  CHECK(complaint(folder.path / "timeless.npz").starts_with(": has no array 'time'"));
  CHECK(complaint(folder.path / "backwards.npz").starts_with(", sample 2: the time 0.498 s follows 0.499 s"));
  CHECK(complaint(folder.path / "scalar.npz").starts_with(": the array 'rate' has 0 dimensions"));
  CHECK(complaint(folder.path / "infinite.npz").starts_with(", sample 1: channel 'q1' holds inf"));
}

TEST_CASE("a packed log that is damaged, cut or no such thing is refused with a sentence") {
  const LogFolder folder;
  const fs::path path = folder.path / "log.csv.xz";
  const std::string whole = packed("time [s],q1\n0,1\n1,2\n");
  put(path, whole.substr(0, whole.size() - 9));
  CHECK(complaint(path).starts_with(": ends early"));
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 1;
  put(path, damaged);
  CHECK(complaint(path).find("damaged") != std::string::npos);
  put(path, "time [s],q1\n0,1\n");
  CHECK(complaint(path).starts_with(": is not packed with xz"));
  put(path, "");
  CHECK(complaint(path).starts_with(": ends early"));
  put(path, whole + packed("2,3\n"));  // as `cat a.xz b.xz` makes them
  CHECK(read_log(path.string()).time == std::vector<double>{0, 1, 2});
}

TEST_CASE("a bomb is refused after a second's work, without a temporary file") {
  const LogFolder folder;
  const fs::path path = folder.path / "bomb.csv.xz";
  const std::string comment =
      "# " + std::string(1 << 20, 'x').substr(3) + "\n";  // skipped lines: nothing else would stop it
  const std::string bomb = packed("time [s],q1\n0,1\n", comment, 100);
  REQUIRE(bomb.size() < 100'000);
  put(path, bomb);
  const auto start = std::chrono::steady_clock::now();
  CHECK(complaint(path).starts_with(": grows to more than 1000 times its size"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("no byte of a binary log can be lost or changed unseen") {
  const LogFolder folder;
  const Log log = log_example(20);
  for (const bool npz : {true, false}) {
    const fs::path path = folder.path / (npz ? "log.npz" : "log.mcap");
    write(log, path, npz ? write_npz : write_mcap);
    const std::string sound = bytes_in(path);
    for (std::size_t i = 0; i < sound.size(); i += 7) {  // cut
      put(path, std::string_view(sound).substr(0, i));
      CAPTURE(i);
      CHECK_THROWS_AS(read_log(path.string()), FormatError);
    }
    Random random(3);
    for (int i = 0; i < 400; ++i) {  // or the same log: in dates, indices and what else is not the log's
      std::string bytes = sound;
      bytes[random.bits() % bytes.size()] ^= static_cast<char>(1 << random.bits() % 8);
      put(path, bytes);
      try {
        const Log read = read_log(path.string());
        CHECK(same(read.time, log.time));
        for (std::size_t c = 0; c < log.channels.size(); ++c)
          CHECK(same(read.channels.at(c).values, log.channels[c].values));
      } catch (const Error& error) {
        CHECK_FALSE(error.hint().empty());
      }
    }
  }
}
