// Files that are no arms: tests/bad/, and sound files damaged by chance. Every one is refused with a sentence that names
// line, column, what is wrong and what to do; none crashes, hangs or slips through.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "armature/core/random.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/urdf.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::formats;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(testing::source_folder) / "tests" / "bad";

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the comment in the first line of a bad file says the message begins with: "line:column: finding".
std::string expectation(const fs::path& path) {
  std::string line = content(path);
  line.resize(std::min(line.find('\n'), line.size()));
  for (const std::string mark : {"<!-- ", " -->", "# "})
    if (const std::size_t i = line.find(mark); i != std::string::npos) line.erase(i, mark.size());
  return line;
}

std::vector<fs::path> files(const std::string& ending, const fs::path& in = folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(in))
    if (entry.path().extension() == ending) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

Arm read_again(const std::string& text, bool urdf) {
  return checked_arm(urdf ? parse_urdf(text, "damaged.urdf") : read_arm_yaml(text, "damaged.yaml"));
}

/// One small damage to a text.
std::string damaged(std::string text, Random& random) {
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.bits() % std::max<std::size_t>(n, 1));
  };
  const auto number_at = [&](std::size_t from) {  // the next number in the text: where it begins and ends
    const std::size_t begin = std::min(text.find_first_of("0123456789", from), text.size());
    return std::pair{begin, std::min(text.find_first_not_of("0123456789.e", begin), text.size())};
  };
  const auto line_at = [&](std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : text.rfind('\n', i - 1) + 1;
    return std::pair{begin, std::min(text.find('\n', i), text.size() - 1) + 1};
  };
  const std::size_t i = below(text.size());
  switch (below(9)) {
    case 0:
      return text.substr(0, i);
    case 1:
      text[i] = static_cast<char>(text[i] ^ (1 << below(8)));
      return text;
    case 2:
      text.erase(i, 1 + below(20));
      return text;
    case 3:
      text.insert(i, text.substr(below(text.size()), below(60)));
      return text;
    case 4: {
      const auto [begin, end] = line_at(i);
      return text.insert(end, text.substr(begin, end - begin));
    }
    case 5: {
      const auto [begin, end] = line_at(i);
      return text.erase(begin, end - begin);
    }
    case 6:
      text.insert(i, 1, static_cast<char>(below(256)));
      return text;
    default: {
      const std::vector<std::string> numbers{
          "nan", "inf", "-inf", "1e400", "-1", "0", "1e-400", "1e308", "-0", "99999999999999999999", "0x7f", "", "1 1"};
      const auto [begin, end] = number_at(i);
      return text.replace(begin, end - begin, numbers[below(numbers.size())]);
    }
  }
}

}  // namespace

TEST_CASE("the sound files beside the bad ones load") {
  for (const char* name : {"sound.yaml", "sound.urdf"}) {
    const LoadedArm loaded = load_arm((folder / name).string());
    CHECK(loaded.arm.dof() == 2);
    CHECK(loaded.warnings.empty());
  }
}

TEST_CASE("every bad file is refused where it is wrong, with what is wrong and what to do") {
  std::size_t count = 0;
  for (const char* ending : {".yaml", ".urdf"})
    for (const fs::path& path : files(ending)) {
      if (path.stem() == "sound") continue;
      const std::string name = path.filename().string();
      CAPTURE(name);
      ++count;
      try {
        load_arm(path.string());
        FAIL_CHECK("accepted");
      } catch (const Error& e) {
        const std::string message = std::string(e.what()).substr(path.string().size() + 1);
        CHECK(message.substr(0, expectation(path).size()) == expectation(path));
        CHECK(e.place().line > 0);
        CHECK(e.place().column > 0);
        CHECK_FALSE(e.hint().empty());
      }
    }
  CHECK(count >= 60);
}

TEST_CASE("what is harmless is read, and one warning says what was made of it") {
  const std::vector<fs::path> odd = files(".urdf", folder / ".." / "odd");
  CHECK(odd.size() >= 20);
  for (const fs::path& path : odd) {
    const std::string name = path.filename().string();
    CAPTURE(name);
    LoadedArm loaded = load_arm(path.string());
    CHECK(loaded.arm.dof() >= 1);
    std::erase_if(loaded.warnings,
                  [](const std::string& w) { return w.find(" is unphysical: ") != std::string::npos; });
    REQUIRE(loaded.warnings.size() == 1);
    const std::string warning = loaded.warnings[0].substr(path.string().size() + 1);
    CHECK(warning.substr(0, expectation(path).size()) == expectation(path));
    CHECK(warning.find("\n  hint: ") != std::string::npos);
  }
}

TEST_CASE("a sound file damaged by chance is an arm or an error, nothing else") {
  Random random(2);
  std::vector<std::pair<std::string, bool>> sound;
  for (const std::string& name : catalogue_names()) {
    sound.emplace_back(catalogue_text(name), false);
    sound.emplace_back(write_urdf(catalogue_arm(name)), true);
  }
  int refused = 0, accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto& [text, urdf] = sound[random.bits() % sound.size()];
    std::string bad = damaged(text, random);
    if (random.uniform() < 0.3) bad = damaged(bad, random);
    CAPTURE(bad);
    const auto start = std::chrono::steady_clock::now();
    try {
      const Arm arm = read_again(bad, urdf);
      ++accepted;
      for (const Body& body : arm.bodies()) REQUIRE(parameters(body.inertia).allFinite());
      REQUIRE(arm.gravity().allFinite());
    } catch (const Error& e) {
      ++refused;
      REQUIRE(e.place().line > 0);
      REQUIRE_FALSE(e.hint().empty());
      REQUIRE_FALSE(e.finding().empty());
    }
    REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  }
  CHECK(refused > 1000);  // damage shows,
  CHECK(accepted > 100);  // except where it hits comments, names and spaces
}
