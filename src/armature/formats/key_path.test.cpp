#include "armature/formats/key_path.hpp"

#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::formats;

namespace {

/// What stands under a key, one text after the other.
std::string texts_at(Yaml& root, const std::string& key, bool make = false) {
  std::string all;
  for (const Yaml* value : values_at(root, key, {"a test"}, make)) all += value->text + ";";
  return all;
}

}  // namespace

TEST_CASE("items of a list go by their number, by their name or all at once") {
  Yaml root = parse_yaml("plant: {walls: [{name: floor, stiffness: 1}, {name: side, stiffness: 2}]}\n", "x.yaml");
  CHECK(texts_at(root, "plant.walls.0.stiffness") == "1;");
  CHECK(texts_at(root, "plant.walls.side.stiffness") == "2;");
  CHECK(texts_at(root, "plant.walls.*.stiffness") == "1;2;");
}

TEST_CASE("a key that is not there is made where that is asked for, and refused where it is not") {
  Yaml root = parse_yaml("run: {tick: 1 ms}\n", "x.yaml");
  CHECK_THROWS_WITH_AS(texts_at(root, "run.duration"), doctest::Contains("the key 'run.duration' names 'duration'"),
                       FormatError);
  CHECK(texts_at(root, "run.integrator.step", true) == ";");
  CHECK(root.entry("run")->value.entry("integrator")->value.kind == Yaml::Kind::map);
}

TEST_CASE("a key that leads nowhere is refused with the key and a hint") {
  Yaml root = parse_yaml("empty: []\nwalls: [{name: floor}]\nrun: {tick: 1 ms}\n", "x.yaml");
  const auto refused = [&](const std::string& key, const char* says) {
    CAPTURE(key);
    CHECK_THROWS_WITH_AS(texts_at(root, key, true), doctest::Contains(says), FormatError);
  };
  refused("walls.1.name", "asks for item '1' of a list of 1");
  refused("walls.roof.name", "asks for item 'roof' of a list of 1");
  refused("empty.*", "asks for item '*' of a list of 0");
  refused("run..tick", "has an empty name in it");
  refused("run.tick.unit", "goes into something that has no keys");
  std::string deep = "a";
  for (std::size_t i = 0; i <= deepest_yaml; ++i) deep += ".a";
  refused(deep, "has too many parts");
}
