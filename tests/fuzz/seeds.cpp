// fuzz_seeds SOURCE OUT: writes OUT/seeds/TARGET/*, what each target begins with, and OUT/TARGET.dict, words it is made of. All of it
// comes from the project's own arms, scenarios, tests and writers.
#include <fmt/format.h>
#include <lzma.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "armature/core/error.hpp"
#include "armature/formats/bytes.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "armature/formats/report_json.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/scenario/scenario_yaml.hpp"
#include "targets.hpp"

using namespace armature;
using namespace armature::rooms;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_seed = 20'000;  // [bytes] the smaller, the more are tried in a second

class Seeds {
 public:
  explicit Seeds(fs::path out) : out_(std::move(out)) {
    fs::create_directories(out_);
    for (const fuzz::Target& target : fuzz::targets) {
      fs::remove_all(folder(target.name));
      fs::create_directories(folder(target.name));
    }
  }
  void add(std::string_view target, const std::string& name, std::string_view bytes) {
    if (bytes.size() > largest_seed) return;
    std::ofstream(folder(target) / name, std::ios::binary) << bytes;
  }
  void add_folder(std::string_view target, const fs::path& from, const std::string& ending) {
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.path().extension() == ending) add(target, entry.path().filename().string(), content(entry.path()));
  }
  void add_words(std::string_view target, const std::set<std::string>& words) {
    std::ofstream file(out_ / fmt::format("{}.dict", target));
    for (const std::string& word : words) {
      file << '"';
      for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\')
          file << fmt::format("\\x{:02x}", byte);
        else
          file << c;
      }
      file << "\"\n";
    }
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  [[nodiscard]] fs::path folder(std::string_view target) const { return out_ / "seeds" / target; }
  fs::path out_;
};

Log example() {
  Log log;
  log.title = "réach";
  log.facts = {{"seed", "42"}, {"scenario", "a: \"1\"\nb: é\n"}};
  log.time = {-0.001, 0, 0.001, 0.5};
  log.add("q1", "rad").values = {0.1, 1.0 / 3, -2, 1e300};
  log.add("τ, 1", "N m").values = {1e-300, NAN, 3, 0};
  log.add("mode", "").values = {1, 2, 3, 0};
  log.events = {{0, "stick", "joint \"2\"\n"}, {0.25, "a; b", "c: d"}};
  return log;
}

/// A sensor_msgs/JointState of two joints, as ROS 2 lays it out.
std::string joint_state(int k) {
  Bytes cdr;
  const auto align = [&](std::size_t size) {
    while ((cdr.size() - 4) % size != 0) cdr.u8(0);
  };
  const auto text = [&](std::string_view t) {
    align(4);
    cdr.u32(t.size() + 1).raw(t).u8(0);
  };
  cdr.u32(0x100).u32(1'700'000'000).u32(static_cast<std::uint64_t>(k) * 5'000'000);
  text("base");
  align(4);
  cdr.u32(2);
  text("shoulder");
  text("elbow");
  for (int list = 0; list < 3; ++list) {
    align(4);
    cdr.u32(2);
    align(8);
    cdr.f64(0.1 * k).f64(-1.5);
  }
  return cdr.data();
}

/// A bag of ROS 2 with so many messages.
std::string bag(const fs::path& scratch, int messages) {
  fs::remove(scratch);
  sqlite3* database = nullptr;
  sqlite3_open(scratch.c_str(), &database);
  const auto run = [&](const std::string& sql) { sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr); };
  run("PRAGMA page_size = 1024; CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
      "serialization_format TEXT NOT NULL); CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, "
      "timestamp "
      "INTEGER NOT NULL, data BLOB NOT NULL); INSERT INTO topics VALUES (1, '/joint_states', "
      "'sensor_msgs/msg/JointState', 'cdr')");
  for (int k = 0; k < messages; ++k) {
    std::string hex;
    for (const char c : joint_state(k)) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    run(fmt::format("INSERT INTO messages VALUES (NULL, 1, {}, x'{}')", 1'700'000'000'000'000'000 + k * 5'000'000LL,
                    hex));
  }
  sqlite3_close(database);
  return Seeds::content(scratch);
}

std::string packed(const std::string& text) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(bytes.data()), &size, bytes.size());
  bytes.resize(size);
  return bytes;
}

std::string written(const fs::path& scratch, const Log& log,
                    void (*write)(const Log&, std::FILE*, const std::string&)) {
  {
    const File file(std::fopen(scratch.c_str(), "wb"));
    write(log, file.get(), scratch.string());
  }
  return Seeds::content(scratch);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw Error("give the folder of the project and one to write to");
  const fs::path source(argv[1]), out(argv[2]);
  Seeds seeds(out);
  for (const std::string& name : catalogue_names()) {
    seeds.add("arm", name + ".yaml", catalogue_text(name));
    seeds.add("urdf", name + ".urdf", write_urdf(catalogue_arm(name)));
  }
  seeds.add_folder("arm", source / "tests/bad", ".yaml");
  seeds.add_folder("urdf", source / "tests/bad", ".urdf");
  seeds.add_folder("urdf", source / "tests/odd", ".urdf");
  seeds.add_folder("scenario", source / "scenarios", ".yaml");
  seeds.add_folder("scenario", source / "tests/bad_scenarios", ".yaml");
  seeds.add_folder("table", source / "tests/bad_tables", ".csv");
  seeds.add_folder("formula", source / "studies/printed", ".model");
  const fs::path scratch = out / "scratch";
  for (const bool empty : {false, true}) {
    Log log = empty ? Log{} : example();
    const std::string csv = written(scratch, log, write_log), name = empty ? "empty" : "example";
    for (const char* target : {"table", "log"}) seeds.add(target, name + ".csv", csv);
    seeds.add("log_xz", name + ".csv.xz", packed(csv));
    seeds.add("npz", name + ".npz", written(scratch, log, write_npz));
    seeds.add("mcap", name + ".mcap", written(scratch, log, write_mcap));
    Report report{"simulate", "réach"};
    report.facts = {{"seed", "42"}};
    log.time.clear();
    log.channels.clear();
    log.scene = {{"base"}, {"link", 0}};
    log.tables = {{"table", {"a", "b"}, {{"1", "2"}}}};
    log.figures = {{"Fig 1", "title", {"x", "s"}, {"y", "m"}, {{"line", {0, 1}, {1, NAN}}}}};
    report.logs = {log};
    seeds.add("report", name + ".json", report_json(report, {""}));
  }
  for (const int messages : {0, 3}) seeds.add("db3", fmt::format("{}.db3", messages), bag(scratch, messages));
  for (const int k : {0, 7}) seeds.add("cdr", std::to_string(k), joint_state(k));
  fs::remove(scratch);
  int count = 0;
  for (const char* text :
       {"0", "1.5", "-1e-3", "90 deg", "200mm", "2 N*m*s/rad", "1/s^2", "3 kg m^2", "1e308 km", "5 %", "-0", "1 turn"})
    seeds.add("quantity", std::to_string(count++), text);

  std::set<std::string> keys;
  for (const SettingKey& row : scenario_keys())
    for (std::size_t begin = 0; begin <= row.key.size();) {
      const std::size_t end = std::min(row.key.find_first_of(".[]", begin), row.key.size());
      if (end > begin) keys.insert(row.key.substr(begin, end - begin) + ": ");
      begin = end + 1;
    }
  const std::set<std::string> numbers{
      "nan", "inf", "-inf", "1e999", "1e308", "1e-320", "-0", "0x1p3", "9223372036854775808"};
  const auto with_numbers = [&](std::set<std::string> words) {
    words.insert(numbers.begin(), numbers.end());
    return words;
  };
  keys.insert(
      {"cases:", "- case: ", " deg", " ms", "{kind: ", "[", "]", "\"\\x1b\"", "|\n", ">\n", "&a ", "*a", "!!str "});
  seeds.add_words("scenario", with_numbers(keys));
  seeds.add_words("arm", with_numbers({"arm: ",
                                       "joints:",
                                       "- name: ",
                                       "type: ",
                                       "revolute",
                                       "prismatic",
                                       "fixed",
                                       "dh: {",
                                       "theta: ",
                                       "d: ",
                                       "a: ",
                                       "alpha: ",
                                       "origin: ",
                                       "axis: ",
                                       "limits: ",
                                       "position: ",
                                       "velocity: ",
                                       "link: ",
                                       "mass: ",
                                       "com: ",
                                       "inertia: ",
                                       "about: ",
                                       "first_moment: ",
                                       "friction: ",
                                       "law: ",
                                       "stribeck",
                                       "lugre",
                                       "drive: ",
                                       "gear_ratio: ",
                                       "couplings: ",
                                       "matrix: ",
                                       "tool: ",
                                       "payload: ",
                                       "gravity: ",
                                       "unphysical: ",
                                       " deg",
                                       " mm",
                                       " km",
                                       " kg*m^2",
                                       "source: "}));
  seeds.add_words("urdf", with_numbers({"<robot name=\"",
                                        "<link name=\"",
                                        "<joint name=\"",
                                        "type=\"",
                                        "revolute",
                                        "continuous",
                                        "prismatic",
                                        "fixed",
                                        "floating",
                                        "planar",
                                        "<parent link=\"",
                                        "<child link=\"",
                                        "<origin xyz=\"",
                                        "rpy=\"",
                                        "<axis xyz=\"",
                                        "<limit lower=\"",
                                        "upper=\"",
                                        "effort=\"",
                                        "velocity=\"",
                                        "<inertial>",
                                        "<mass value=\"",
                                        "<inertia ixx=\"",
                                        "<mimic joint=\"",
                                        "<dynamics damping=\"",
                                        "<visual>",
                                        "<geometry>",
                                        "<box size=\"",
                                        "<mesh filename=\"",
                                        "<!--",
                                        "-->",
                                        "<![CDATA[",
                                        "]]>",
                                        "&#10;",
                                        "&amp;",
                                        "&lt;",
                                        "<?xml ",
                                        "?>",
                                        "<!DOCTYPE ",
                                        "/>",
                                        "</"}));
  const std::set<std::string> csv = with_numbers({"# ", "# armature log: 1\n", "# title: ", "# event: ", "; ",
                                                  "# end: ", " rows", "# incomplete: ", "# fact ", "time [s]", "t [ms]",
                                                  "\\n", "\\s", "\r\n", "\"", ",", "\xEF\xBB\xBF"});
  seeds.add_words("table", csv);
  seeds.add_words("log", csv);
  seeds.add_words("log_xz", {std::string("\xFD"
                                         "7zXZ\0",
                                         6),
                             "YZ"});
  seeds.add_words("npz", {"PK\3\4",   "PK\1\2",    "PK\5\6", "\x93NUMPY", "'descr': ",         "'<f8'",
                          "'<f4'",    "'<i8'",     "'|S",    "'>f8'",     "'fortran_order': ", "True",
                          "False",    "'shape': ", "(",      ",)",        "time.npy",          "t.npy",
                          "_log.npy", ".npy"});
  seeds.add_words("mcap",
                  {std::string("\x89MCAP0\r\n"), "armature.Samples", "armature.Event", "/log", "/events", "json",
                   "jsonschema", "\"time\":", "null", "\"properties\":", "\"description\":", "facts", "title"});
  seeds.add_words("formula", with_numbers({"sin(", "atan2(", "sqrt(", "±", "+-", "^", "given ", "means ", " = ", "q1",
                                           "# ", "[", "]"}));
  seeds.add_words("cdr", {std::string("\0\1\0\0", 4), std::string("\xff\xff\xff\xff", 4), std::string("\2\0\0\0", 4)});
  seeds.add_words("db3", {"CREATE TABLE topics(", "CREATE VIEW messages", "CREATE VIRTUAL TABLE ",
                          "sensor_msgs/msg/JointState", "cdr"});
  seeds.add_words("quantity",
                  with_numbers({"deg", "rad", "mm", "km", "kg", "N*m", "/s", "^2", "^-9", "rpm", "%", "ohm", "1/"}));
  seeds.add_words("report",
                  with_numbers({"\"armature report\": 1", "\"logs\"", "\"scene\"", "\"parent\": -1", "\"figures\"",
                                "\"series\"", "\"x\"", "\"values\"", "null", "true", "\"arrows\"", "\"frame\"",
                                "\"tables\"", "\"rows\"", "\"facts\"", "\\u0000", "\\ud800"}));
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
