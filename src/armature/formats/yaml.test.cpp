#include "armature/formats/yaml.hpp"

#include <string>

#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::formats;

TEST_CASE("every value and key of a YAML text knows its place") {
  const Yaml root = parse_yaml("a: 1\nb:\n  - x: {y: 2}\n    z: [3, 'four']\nc:\n", "t.yaml");
  REQUIRE(root.entries.size() == 3);
  CHECK(root.entries[0].value.text == "1");
  CHECK(to_string(root.entries[0].value.place) == "t.yaml:1:4");
  const Yaml& item = root.entries[1].value.list.at(0);
  CHECK(to_string(item.entries[0].place) == "t.yaml:3:5");
  CHECK(to_string(item.entries[0].value.entries[0].value.place) == "t.yaml:3:12");
  CHECK(item.entries[1].value.list[1].text == "four");
  CHECK(to_string(item.entries[1].value.list[1].place) == "t.yaml:4:12");
  CHECK(root.entries[2].value.kind == Yaml::Kind::nothing);
  CHECK(to_string(root.entries[2].value.place) == "t.yaml:5:1");
}

TEST_CASE("a byte-order mark and DOS line ends change nothing") {
  const Yaml root = parse_yaml(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: |\r\n  one\r\n  two\r\n",
      "t.yaml");
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].key == "a");
  CHECK(root.entries[0].place.column == 1);
  CHECK(root.entries[1].place.line == 2);
  CHECK(text_of(root.entries[1].value, "b") == "one\ntwo\n");
}

TEST_CASE("what could make a text larger in memory than on disk is refused") {
  for (const char* text : {"a: &x 1\nb: *x\n", "a: &x [1]\n", "a: !!float 1\n", "a: 1\na: 2\n", "a: 1\n---\nb: 2\n",
                           "[a]: 1\n", "? {a: b}\n: 1\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_yaml(text, "t.yaml"), FormatError);
  }
  // an alias bomb: ten levels of ten aliases
  std::string bomb = "a0: &a0 [lol]\n";
  for (int i = 1; i < 10; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]\n";
  CHECK_THROWS_WITH_AS(parse_yaml(bomb, "t.yaml"), doctest::Contains("anchors (&name) are not read here"), FormatError);
}

TEST_CASE("nesting and size are bounded before they cost anything") {
  const std::string flow(200'000, '['), maps(200'000, '{');
  CHECK_THROWS_WITH_AS(parse_yaml(flow, "t.yaml"), doctest::Contains("more than 16 lists"), FormatError);
  CHECK_THROWS_AS(parse_yaml(maps, "t.yaml"), FormatError);
  std::string dashes, keys;
  for (int i = 0; i < 100'000; ++i) {
    dashes += "- ";
    keys += "? ";
  }
  CHECK_THROWS_WITH_AS(parse_yaml(dashes + "1", "t.yaml"), doctest::Contains("more than 16 lists"), FormatError);
  CHECK_THROWS_AS(parse_yaml(keys + "1", "t.yaml"), FormatError);
  std::string steps;
  for (int i = 0; i < 1000; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK_THROWS_WITH_AS(parse_yaml(steps, "t.yaml"), doctest::Contains("more than 16 lists"), FormatError);
  std::string many = "[";
  for (int i = 0; i < 200'000; ++i) many += "1,";
  CHECK_THROWS_WITH_AS(parse_yaml(many + "1]", "t.yaml"), doctest::Contains("more than 100000 values"), FormatError);
  CHECK_THROWS_WITH_AS(parse_yaml(std::string(largest_yaml, ' ') + "a: 1", "t.yaml"),
                       doctest::Contains("is larger than 1048576 bytes"), FormatError);
}

TEST_CASE("bytes that are no text are refused where they stand") {
  using namespace std::string_literals;
  CHECK_THROWS_WITH_AS(parse_yaml("a: 1\nb: \0x"s, "t"), doctest::Contains("t:2:4: control character 0x00"),
                       FormatError);
  CHECK_THROWS_WITH_AS(parse_yaml("a: 1\nb: \xff", "t"), doctest::Contains("t:2:4: byte 0xff is not UTF-8"),
                       FormatError);
  CHECK_THROWS_WITH_AS(parse_yaml("µ: \xc0\x80", "t"), doctest::Contains("t:1:4: byte 0xc0"), FormatError);  // overlong
  CHECK_THROWS_WITH_AS(parse_yaml("a: \xed\xa0\x80", "t"), doctest::Contains("byte 0xed"), FormatError);  // surrogate
  CHECK_THROWS_WITH_AS(parse_yaml("a: \x1b[31m", "t"), doctest::Contains("control character 0x1b"), FormatError);
  CHECK_THROWS_WITH_AS(parse_yaml("a: 1\rb: 2\n", "t"), doctest::Contains("control character 0x0d"), FormatError);
  CHECK_THROWS_WITH_AS(parse_yaml("a:\n\t- b\n", "t"), doctest::Contains("t:2:1: a tab in the indentation"),
                       FormatError);
  CHECK_THROWS_WITH_AS(parse_yaml(" \n\n", "t"), doctest::Contains("the file is empty"), FormatError);
  CHECK_THROWS_WITH_AS(parse_yaml("# nothing\n", "t"), doctest::Contains("nothing but comments"), FormatError);
  CHECK(to_string(parse_yaml("µ腕: x", "t").entries[0].value.place) == "t:1:5");  // columns count characters
  CHECK(parse_yaml("a: Stäubli µ 腕\n", "t").entries[0].value.text == "Stäubli µ 腕");
}

TEST_CASE("a map knows the keys that were asked for") {
  const Yaml root = parse_yaml("controler: 1\nx: 2\n", "reach.yaml");
  YamlMap map(root, "the scenario");
  CHECK(map.find("x")->text == "2");
  CHECK(map.find("y") == nullptr);
  CHECK_THROWS_WITH_AS(map.at("controller"),
                       "reach.yaml:1:1: unknown key 'controler' in the scenario\n  hint: did you mean 'controller'?",
                       FormatError);
  CHECK_THROWS_WITH_AS(map.at("robot"), "reach.yaml:1:1: the scenario has no 'robot'\n  hint: add `robot: ...`",
                       FormatError);
  CHECK_THROWS_WITH_AS(map.finish(),
                       "reach.yaml:1:1: unknown key 'controler' in the scenario\n  hint: did you mean 'controller'?",
                       FormatError);
  CHECK_NOTHROW(map.find("controler"));
  CHECK_NOTHROW(map.finish());
}

TEST_CASE("a bare number that is a slip of the unit is refused, with its unit it is not") {
  const FileUnit angle{"rad", dimension::angle, 2 * pi * 1.0001, "deg"};
  const auto read = [&](const std::string& text) { return quantity_of(parse_yaml(text, "t"), "alpha", angle); };
  CHECK(read("6.2832") == 6.2832);
  CHECK(read("90 deg") == 90 * deg);
  CHECK(read("90 rad") == 90);
  CHECK_THROWS_WITH_AS(read("-90"),
                       "t:1:1: alpha: -90 without a unit means -90 rad\n"
                       "  hint: write `-90deg`, or `-90rad` if that is meant",
                       FormatError);
  for (const char* text : {".nan", ".inf", "1e400", "0x10", "1_000", "1,5", "90 m", "", "[1]", "{a: 1}", "~"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read(std::string("# x\n") + text), FormatError);
  }
}

TEST_CASE("any text is written so that it reads back as itself") {
  Random random(1);
  const std::vector<std::string> pieces{
      "word", " ",  "  ", "\n", "\n\n", "\t",  ":",    ": ",
      " #",   "#",  "- ", "'",  "\"",   "\\",  "[",    "]",
      "{",    "}",  ",",  "&a", "*a",   "!t",  "%",    "@",
      "`",    "|",  ">",  "~",  "?",    "µ",   "null", "true",
      "1.5",  "腕", "=",  "<<", "---",  "...", "\\n",  "a long sentence of many words that fills the line"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random.bits() % 12; n > 0; --n) text += pieces[random.bits() % pieces.size()];
    if (random.uniform() < 0.2) text = "x " + text + " y";
    CAPTURE(text);
    for (const std::size_t indent : {0, 4}) {
      const std::string file =
          indent ? "a:\n  b: " + yaml_text(text, indent) + "\n  c: end\n" : "a: {b: " + yaml_text(text) + ", c: end}\n";
      CAPTURE(file);
      const Yaml root = parse_yaml(file, "t");
      REQUIRE(root.entries.at(0).value.entries.size() == 2);
      REQUIRE(text_of(root.entries[0].value.entries[0].value, "b") == text);
    }
  }
}
