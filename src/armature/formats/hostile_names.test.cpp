// Names in files: a name by the rule comes back as it was from every file that is written, any other is refused when it is read.
#include <fmt/format.h>
#include <tinyxml2.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "armature/core/characters.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/formats/yaml.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/hostile_names.hpp"

using namespace armature;
using namespace armature::formats;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t many = 1000;

ArmDescription called(const std::string& name) {
  ArmDescription arm = catalogue_arm("rpr").description();
  arm.name = arm.joints[0].name = arm.joints[0].link.name = name;
  return arm;
}

}  // namespace

TEST_CASE("no arm has a name that could end a line or act on a terminal") {
  for (const std::string& name : testing::hostile_names(many)) {
    const std::string flaw = flaw_of_name(name);
    CAPTURE(visible(name));
    CAPTURE(flaw);
    if (flaw.empty())
      CHECK_NOTHROW(Arm(called(name)));
    else
      CHECK_THROWS_AS(Arm(called(name)), ModelError);
    // the rule, said another way
    if (flaw.empty()) CHECK((visible(name) == name));
    if (visible(name) != name) CHECK(!flaw.empty());
  }
}

TEST_CASE("any name comes back from an arm file; what is no name is refused there, with its line") {
  for (const std::string& name : testing::hostile_names(many)) {
    CAPTURE(visible(name));
    const std::string text = write_arm_yaml(called(name));
    if (flaw_of_name(name).empty())
      CHECK((parse_arm_yaml(text, "a.yaml") == called(name)));
    else
      CHECK_THROWS_WITH_AS((void)parse_arm_yaml(text, "a.yaml"), doctest::Contains("a.yaml:1:"), FormatError);
  }
}

TEST_CASE(
    "any name comes back from a URDF, also by tinyxml2; blanks at its ends aside, what is no name is refused with its "
    "line") {
  const std::string urdf = write_urdf(catalogue_arm("rpr"));
  for (const std::string& name : testing::hostile_names(many)) {
    CAPTURE(visible(name));
    if (flaw_of_name(name).empty()) {
      const std::string text = write_urdf(Arm(called(name)));
      const ArmDescription arm = parse_urdf(text, "a.urdf").description;
      CHECK(arm.name == name);
      CHECK(arm.joints[0].name == name);
      CHECK(arm.joints[0].link.name == name);
      tinyxml2::XMLDocument document;
      REQUIRE(document.Parse(text.c_str(), text.size()) == tinyxml2::XML_SUCCESS);
      CHECK(document.RootElement()->Attribute("name") == name);
      CHECK(document.RootElement()->FirstChildElement("joint")->Attribute("name") == name);
    } else {
      std::string text = urdf, as_written;
      for (const char c : name)
        as_written += static_cast<unsigned char>(c) < 0x20 ? fmt::format("&#{};", static_cast<int>(c))
                      : std::string_view("<>&\"").find(c) != std::string_view::npos
                          ? fmt::format("&#{};", static_cast<int>(c))
                          : std::string(1, c);
      const std::size_t at = text.find("name=\"rpr\"");
      REQUIRE(at != std::string::npos);
      text.replace(at, 10, "name=\"" + as_written + "\"");
      const std::size_t begin = std::min(name.find_first_not_of(' '), name.size());
      const std::string trimmed = name.substr(begin, name.find_last_not_of(' ') + 1 - begin);
      if (trimmed.empty() || flaw_of_name(trimmed).empty())
        CHECK(parse_urdf(text, "a.urdf").description.name == (trimmed.empty() ? "a" : trimmed));  // as the file
      else
        CHECK_THROWS_WITH_AS((void)parse_urdf(text, "a.urdf"), doctest::Contains("a.urdf:2:"), FormatError);
    }
  }
}

TEST_CASE("any text comes back from YAML as it was written") {
  for (const std::string& name : testing::hostile_names(many))
    for (const std::size_t indent : {0, 2}) {
      const std::string text = "key: " + yaml_text(name, indent) + "\n";
      CAPTURE(text);
      bool is_text = true;
      for (std::size_t i = 0; i < name.size();) {
        const Character c = character_at(name, i);
        is_text = is_text && c.length > 0;
        i += std::max<std::size_t>(c.length, 1);
      }
      if (is_text) CHECK((parse_yaml(text, "t").entries[0].value.text == name));
    }
}

TEST_CASE("any name can head a column: our reader, and Python's csv, read the same names back") {
  const fs::path folder = fs::temp_directory_path() / fmt::format("armature-columns-{}", getpid());
  fs::create_directories(folder);
  Log log;
  log.time = {0, 1};
  std::ofstream expected(folder / "names");
  for (const std::string& name : testing::hostile_names_in_order(many))
    for (const char* unit : {"", "N m/rad"}) {
      const std::string channel = "u_" + name + (*unit ? "" : "_plain");
      if (log.has(channel)) continue;
      log.add(channel, unit).values = {1, 2};
      const bool bracket = *unit || channel.ends_with(']');
      expected << channel << (bracket ? fmt::format(" [{}]", unit) : "") << "\n";
    }
  expected.close();
  std::FILE* file = std::fopen((folder / "log.csv").c_str(), "wb");
  REQUIRE((file != nullptr));
  write_log(log, file, "log.csv");
  std::fclose(file);
  const Log back = read_log((folder / "log.csv").string());
  REQUIRE(back.channels.size() == log.channels.size());
  for (std::size_t i = 0; i < log.channels.size(); ++i) {
    CHECK(back.channels[i].name == log.channels[i].name);
    CHECK(back.channels[i].unit == log.channels[i].unit);
  }
  std::ofstream(folder / "check.py") << R"(import csv
lines = [x for x in open("log.csv", encoding="utf-8", newline="") if not x.startswith("#")]
header, *rows = csv.reader(lines)
expected = ["time [s]"] + open("names", encoding="utf-8", newline="").read().split("\n")[:-1]
assert header == expected, [p for p in zip(header, expected) if p[0] != p[1]][:5]
assert len(rows) == 2 and all(len(r) == len(header) for r in rows)
)";
  CHECK(std::system(fmt::format("cd '{}' && python3 check.py", folder.string()).c_str()) == 0);
  fs::remove_all(folder);
}

TEST_CASE("a header that is no text is refused, with the place in it") {
  const auto complaint = [](const std::string& header) -> std::string {
    File file(std::tmpfile());
    const std::string text = header + "\n0,1\n";
    std::fwrite(text.data(), 1, text.size(), file.get());
    std::rewind(file.get());
    try {
      TableReader reader(std::move(file), "t.csv", {});
      return "";
    } catch (const FormatError& error) {
      return error.what();
    }
  };
  CHECK(complaint("time,\xC2\x9B"
                  "31m")
            .find("t.csv:1:6: the header holds the control character 0x9b") == 0);
  CHECK(complaint("time,a\xE2\x80\xAE").find("control character U+202E") != std::string::npos);
  CHECK(complaint("time,\xFF").find("t.csv:1:6: the header holds the byte 0xff, which is not UTF-8") == 0);
  CHECK(complaint("time,\"a\"\"b").find("a quote is opened but not closed") != std::string::npos);
  CHECK(complaint("time,\"a\"\"b\"").empty());
}
