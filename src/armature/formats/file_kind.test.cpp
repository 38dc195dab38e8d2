#include "armature/formats/file_kind.hpp"

#include <filesystem>

#include "armature/core/error.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::formats;

TEST_CASE("the files of the project are what their folders say") {
  const std::filesystem::path root(testing::source_folder);
  const auto all = [&](const char* folder, FileKind kind) {
    for (const auto& file : std::filesystem::directory_iterator(root / folder)) {
      if (file.path().extension() != ".yaml") continue;
      CAPTURE(file.path());
      CHECK(kind_of_file(file.path().string()) == kind);
    }
  };
  all("arms", FileKind::arm);
  all("scenarios", FileKind::scenario);
}

TEST_CASE("a file is known by how it begins, however it goes on") {
  CHECK(kind_of_text("\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- mine -->\n<robot name=\"r\">") == FileKind::urdf);
  CHECK(kind_of_text("<mujoco/>") == FileKind::unknown);
  CHECK(kind_of_text("# armature log: 1\n# title: reach\ntime [s],q1 [rad]\n0,1\n") == FileKind::log);
  CHECK(kind_of_text("q1,\"time\",tau1\n") == FileKind::log);
  CHECK(kind_of_text("q1,timer,tau1\n") == FileKind::unknown);
  CHECK(kind_of_text("q1,q2\n0,0\n") == FileKind::unknown);
  CHECK(kind_of_text("side: motor\nposition: qm{}\ncurrent: i{}\n") == FileKind::log_map);
  CHECK(kind_of_text("# a scenario: no\narm: mine\njoints: [\n") == FileKind::arm);
  CHECK(kind_of_text("question: why\nscenario: x\nrobot: {\n") == FileKind::scenario);
  CHECK(kind_of_text("arm: x\nscenario: y\n") == FileKind::unknown);
  for (const char* text : {"", "#", "\n", "a", "arm", "# only\n# comments", ",", "time", "\xff,time"})
    CHECK((kind_of_text(text) == FileKind::unknown || kind_of_text(text) == FileKind::log));
}

TEST_CASE("a file of another kind is refused with the verb that takes it") {
  const std::filesystem::path root(testing::source_folder);
  const std::string scenario = (root / "scenarios" / "rrr_pd_step.yaml").string();
  CHECK_NOTHROW(refuse_other_kinds(scenario, {FileKind::scenario}, "a scenario"));
  CHECK_NOTHROW(refuse_other_kinds("nowhere.yaml", {FileKind::scenario}, "a scenario"));
  CHECK_THROWS_WITH_AS(refuse_other_kinds(scenario, {FileKind::arm, FileKind::urdf}, "an arm"),
                       doctest::Contains("this is a scenario, not an arm\n  hint: `armature simulate "), FormatError);
  CHECK_THROWS_WITH_AS(refuse_other_kinds("rrr", {FileKind::scenario}, "a scenario"),
                       "rrr: this is a built-in arm, not a scenario\n"
                       "  hint: `armature show rrr` shows it; a scenario names it as `robot: rrr`",
                       FormatError);
}
