#include "armature/formats/whole_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "armature/core/error.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::formats;

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = make_temporary_folder(fs::temp_directory_path().string());
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] std::string at(const char* name) const { return (path / name).string(); }
  [[nodiscard]] auto entries() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

unsigned mode_of(const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

}  // namespace

TEST_CASE("a file is there whole once it is committed; without that nothing is left and the old one stays") {
  const Folder folder;
  REQUIRE(fs::is_directory(folder.path));
  write_whole_file(folder.at("a.txt"), "first\n");
  CHECK(content(folder.at("a.txt")) == "first\n");
  {
    WholeFile file(folder.at("a.txt"), "a.txt");
    file.write("second\n");
    CHECK(content(folder.at("a.txt")) == "first\n");
    CHECK(folder.entries() == 2);
  }
  CHECK(content(folder.at("a.txt")) == "first\n");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a new file has the permissions of the user's mask, a replaced one keeps its own, a link stays a link") {
  const Folder folder;
  const mode_t mask = umask(027);
  write_whole_file(folder.at("new"), "");
  const std::string inner = make_temporary_folder(folder.path.string());
  umask(mask);
  CHECK(mode_of(folder.at("new")) == 0640U);
  CHECK(mode_of(inner) == 0750U);
  fs::permissions(folder.at("new"), fs::perms(0604));
  fs::create_symlink(folder.at("new"), folder.at("link"));
  write_whole_file(folder.at("link"), "through");
  CHECK(fs::is_symlink(folder.at("link")));
  CHECK(content(folder.at("new")) == "through");
  CHECK(mode_of(folder.at("new")) == 0604U);
}

TEST_CASE("what cannot be written is refused before the work, with the system's reason") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(WholeFile(folder.path.string(), "x"), doctest::Contains("is a folder"), Error);
  CHECK_THROWS_WITH_AS(WholeFile(folder.at("no/such"), "x"),
                       "x: cannot be written: No such file or directory\n  hint: does the folder exist?", Error);
  CHECK_THROWS_WITH_AS(WholeFile("", ""), doctest::Contains("is empty"), Error);
  CHECK(make_temporary_folder(folder.at("no")).empty());
}
