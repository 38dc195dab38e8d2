#include "armature/formats/load_arm.hpp"

#include <filesystem>
#include <fstream>

#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::formats;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone when the test is over.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    for (int i = 0; !fs::create_directory(path_ = fs::temp_directory_path() / ("armature_test_" + std::to_string(i)));
         ++i)
      REQUIRE(i < 1000);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

void save(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

}  // namespace

TEST_CASE("every built-in arm loads, bears its file's name and names its source") {
  const std::vector<std::string> expected{"asea2", "iiwa14",      "panda", "planar3r",    "puma560",
                                          "rpr",   "rpr_printed", "rrr",   "rrr_generic", "rrr_printed",
                                          "tx40",  "ur10",        "ur5",   "ur5e"};
  CHECK(catalogue_names() == expected);
  for (const std::string& name : catalogue_names()) {
    CAPTURE(name);
    const LoadedArm loaded = load_arm(name);
    CHECK(loaded.arm.name() == name);
    CHECK_FALSE(loaded.arm.description().source.empty());
    CHECK(catalogue_arm(name).description() == loaded.arm.description());
    for (const JointDescription& joint : loaded.arm.description().joints)
      if (joint.link.mass) CHECK_FALSE(joint.link.mass->source.empty());
    CHECK(loaded.arm.unphysical().empty() == (name != "rrr_printed"));
    if (!loaded.arm.unphysical().empty())
      CHECK(loaded.warnings.at(0) == "arm '" + name + "' is unphysical: " + loaded.arm.unphysical());
  }
}

TEST_CASE("the catalogue holds the files of arms/ as they are") {
  for (const std::string& name : catalogue_names()) {
    std::ifstream file(std::string(testing::source_folder) + "/arms/" + name + ".yaml", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK_MESSAGE(catalogue_text(name) == text, name);
  }
}

TEST_CASE("an arm loads from a file by either ending") {
  const TemporaryFolder folder;
  const std::string text = write_arm_yaml(catalogue_arm("rrr").description());
  for (const char* name : {"a.yaml", "b.yml"}) {
    save(folder / name, text);
    CHECK(load_arm(folder / name).arm.description() == catalogue_arm("rrr").description());
  }
  CHECK(arm_from_yaml_text(text, "text").arm.dof() == 3);
  save(folder / "c.urdf", write_urdf(catalogue_arm("rpr")));
  const LoadedArm rpr = load_arm(folder / "c.urdf");
  CHECK(rpr.arm.dof() == 3);
  CHECK(rpr.warnings.size() == 1);  // the sliding joint has no limits
  CHECK(load_arm(folder / "c.urdf", {.tip = "link2"}).arm.dof() == 2);
}

TEST_CASE("what is no arm is refused with a place and a way out") {
  const TemporaryFolder folder;
  const auto complaint = [](const std::string& name, const std::string& base = "", const std::string& tip = "") {
    try {
      load_arm(name, {.base = base, .tip = tip});
    } catch (const Error& e) {
      CHECK_FALSE(e.hint().empty());
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(complaint("rrrr") == "there is no built-in arm 'rrrr'\n  hint: did you mean 'rrr'?");
  CHECK(complaint("pnada") == "there is no built-in arm 'pnada'\n  hint: did you mean 'panda'?");
  CHECK(complaint("").find("there is no built-in arm ''") == 0);
  CHECK(complaint("rrr", "base").find("rrr: base, tip and lock pick a chain out of a URDF") == 0);
  CHECK(complaint(folder / "none.yaml").find("none.yaml: there is no such file") != std::string::npos);
  CHECK(complaint(folder / "none.urdf").find("none.urdf: there is no such file") != std::string::npos);
  fs::create_directory(folder / "folder.yaml");
  CHECK(complaint(folder / "folder.yaml").find("is a folder") != std::string::npos);
  save(folder / "arm.txt", "arm: x\n");
  CHECK(complaint(folder / "arm.txt").find("'arm.txt' is no kind of arm file") != std::string::npos);
  const std::string xacro = folder / "arm.urdf.xacro", urdf = folder / "arm.urdf";
  CHECK(complaint(xacro).find("hint: expand it first: `xacro " + xacro + " > " + urdf + "`") != std::string::npos);
  CHECK(complaint("/dev/zero").find("is no kind of arm file") != std::string::npos);
  fs::create_symlink("/dev/zero", folder / "zero.yaml");
  CHECK(complaint(folder / "zero.yaml").find("is not a regular file") != std::string::npos);
  save(folder / "empty.yaml", "");
  CHECK(complaint(folder / "empty.yaml").find("empty.yaml:1:1: the file is empty") != std::string::npos);
  save(folder / "binary.yaml", std::string_view("\x7f"
                                                "ELF\0\0\1",
                                                7));
  CHECK(complaint(folder / "binary.yaml").find("binary.yaml:1:1: control character 0x7f") != std::string::npos);
  save(folder / "large.yaml", std::string(2 << 20, '#'));
  CHECK(complaint(folder / "large.yaml").find("large.yaml: is larger than 1048576 bytes") != std::string::npos);
}

TEST_CASE("a small file takes little memory, however large a file may be") {
  const TemporaryFolder folder;
  save(folder / "small.json", "{}");
  CHECK(read_text_file(folder / "small.json", std::size_t{1} << 30).capacity() < (1 << 20));
  save(folder / "large.txt", std::string(1 << 17, 'x'));
  CHECK(read_text_file(folder / "large.txt", 1 << 17).size() == 1 << 17);
  CHECK_THROWS_WITH_AS(read_text_file(folder / "large.txt", (1 << 17) - 1),
                       doctest::Contains("is larger than 131071 bytes"), FormatError);
}
