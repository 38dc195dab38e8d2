// Every input that ever failed, and what the fuzzers begin with: in an ordinary test, without a fuzzer.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "armature/testing/doctest.hpp"
#include "targets.hpp"

using namespace armature;
using namespace armature::rooms;
namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a target over all files of a folder; says how many were read at all.
int run_all(const fuzz::Target& target, const fs::path& folder) {
  int read = 0;
  if (!fs::exists(folder)) return 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    INFO(entry.path().string());
    const std::string bytes = content(entry.path());
    bool accepted = false;
    CHECK_NOTHROW(accepted = target.run(bytes));
    read += accepted;
  }
  return read;
}

}  // namespace

TEST_CASE("inputs that failed once are read or refused with a sentence, and keep the laws") {
  for (const auto& entry : fs::directory_iterator(fs::path(ARMATURE_SOURCE_DIR) / "tests/fuzz/regressions")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    const auto target =
        std::find_if(fuzz::targets.begin(), fuzz::targets.end(), [&](const fuzz::Target& t) { return t.name == name; });
    REQUIRE_MESSAGE(target != fuzz::targets.end(), name);
    run_all(*target, entry.path());
  }
}

TEST_CASE("what the fuzzers begin with keeps the laws, and every target reads some of it") {
  for (const fuzz::Target& target : fuzz::targets) {
    CAPTURE(target.name);
    CHECK(run_all(target, fs::path(ARMATURE_FUZZ_SEEDS) / "seeds" / target.name) > 0);
  }
}
