#include <cmath>

#include "armature/core/characters.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::core;

TEST_CASE("an error reads place, finding, hint") {
  const Error error("unknown key 'controler'", "did you mean 'controller'?", {"reach.yaml", 2, 1});
  CHECK(std::string(error.what()) == "reach.yaml:2:1: unknown key 'controler'\n  hint: did you mean 'controller'?");
  CHECK(std::string(Error("nothing works").what()) == "nothing works");
  CHECK(to_string(Place{"a.csv", 3, 0}) == "a.csv:3");
}

TEST_CASE("numbers are read whole, finite and in no locale") {
  CHECK(parse_double("1.5707").value() == 1.5707);
  CHECK(parse_double(" -2e-3 ").value() == -2e-3);
  CHECK(parse_double("+.5").value() == 0.5);
  CHECK(parse_double("1e-400").value() == 0.0);
  CHECK(parse_double("-0." + std::string(400, '0') + "1").value() == 0.0);     // small without an exponent,
  CHECK_FALSE(parse_double("1" + std::string(400, '0') + "e-5").has_value());  // large with a negative one,
  CHECK(parse_double("1" + std::string(400, '0') + "e-99999999999999999999").value() == 0.0);
  CHECK(parse_double("0.1" + std::string(400, '0') + "e1").value() == 1.0);  // and neither
  CHECK_THROWS_WITH_AS(parse_quantity("1e308 km", dimension::length),
                       doctest::Contains("larger or smaller than any number"), FormatError);
  for (const char* text : {"", "nan", "inf", "1e400", "1,5", "0x10", "1.5.2", "--1", "1e", "."}) {
    CAPTURE(text);
    CHECK_FALSE(parse_double(text).has_value());
  }
}

TEST_CASE("quantities become SI") {
  CHECK(parse_quantity("90 deg", dimension::angle) == doctest::Approx(pi / 2).epsilon(1e-16));
  CHECK(parse_quantity("200 mm", dimension::length) == 0.2);
  CHECK(parse_quantity("200mm", dimension::length) == 0.2);
  CHECK(parse_quantity("2 N*m*s/rad", {2, 1, -1, 0}) == 2.0);
  CHECK(parse_quantity("0.5 kg m^2", dimension::inertia) == 0.5);
  CHECK(parse_quantity("60 rpm", dimension::rate) == doctest::Approx(2 * pi));
  CHECK(parse_quantity("3 1/s", dimension::rate) == 3.0);
  CHECK(parse_quantity("100 1/s^2", dimension::angular_acceleration) == 100.0);
  CHECK(parse_quantity("0.1 N*m/A", {2, 1, -2, -1}) == 0.1);
  CHECK(parse_quantity("0.1 V*s/rad", {2, 1, -2, -1}) == 0.1);  // torque constant = back-emf constant
  CHECK(parse_quantity("1.5", dimension::length) == 1.5);
}

TEST_CASE("a wrong unit is named with what was expected") {
  CHECK_THROWS_WITH_AS(parse_quantity("90 deg", dimension::length),
                       "'90 deg' is not a quantity in m\n  hint: its unit means rad (or a plain number)", FormatError);
  CHECK_THROWS_WITH_AS(parse_quantity("90 degg", dimension::angle), "unknown unit 'degg'\n  hint: did you mean 'deg'?",
                       FormatError);
  for (const char* text : {"", "deg", "nan", "1 m/s/s", "1 m^", "1 m^99", "1 #"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_quantity(text, dimension::length), FormatError);
  }
}

TEST_CASE("a slip of the finger is guessed, nonsense is not") {
  const std::vector<std::string> words{"controller", "reference", "robot"};
  CHECK(nearest_word("controler", words) == "controller");
  CHECK(nearest_word("rboot", words) == "robot");
  CHECK_FALSE(nearest_word("wheel", words).has_value());
  CHECK(suggestion("wheel", words) == "known: controller, reference, robot");
}

TEST_CASE("exact_text reads back exactly") {
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const double x = random.normal() * std::pow(10.0, std::floor(random.uniform(-300, 300)));
    REQUIRE(parse_double(exact_text(x)).value() == x);
  }
}

TEST_CASE("random numbers have the moments they should") {
  Random random(7);
  const int n = 200000;
  double sum = 0, square = 0, uniform = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    sum += x;
    square += x * x;
    uniform += random.uniform();
  }
  CHECK(std::abs(sum / n) < 4 / std::sqrt(n));  // four standard errors
  CHECK(std::abs(square / n - 1) < 4 * std::sqrt(2.0 / n));
  CHECK(std::abs(uniform / n - 0.5) < 4 / std::sqrt(12.0 * n));
}

TEST_CASE("characters are those of RFC 3629, and nothing else is text") {
  for (const std::string text :
       {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    CHECK(character_at(text, 0).length == text.size());
  CHECK(character_at("\xE2\x82\xAC", 0).code == 0x20AC);
  CHECK(character_at("\xF0\x9F\x98\x80", 0).code == 0x1F600);
  for (const std::string bytes : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                                  "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xC3"})
    CHECK(character_at(bytes, 0).length == 0);
}

TEST_CASE("what acts on a terminal is written out, what is read stays") {
  CHECK(visible("plain \xC3\xA9 \xE2\x82\xAC") == "plain \xC3\xA9 \xE2\x82\xAC");
  CHECK(visible("\x1b[31m\x7f") == "\\x1b[31m\\x7f");
  CHECK(visible("\xC2\x9B\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\xA8") == "\\x9b\\u202e\\u2066\\u2028");
  CHECK(visible("\xFF") == "\\xff");
  CHECK(visible("a\nb\tc") == "a\\x0ab\\x09c");
  CHECK(visible("a\nb\tc", "\n\t") == "a\nb\tc");
  CHECK(printable("\xC3\xA9", 1) == "...");  // no half of a character
  std::string cut(60, 'a');
  cut += "...";
  CHECK(printable(std::string(61, 'a')) == cut);
  CHECK(printable(std::string(60, 'a')) == std::string(60, 'a'));
}

TEST_CASE("a name is short text on one line") {
  for (const char* name : {"a", "left \"A\"", "\xE6\xBC\xA2", "class", "\\", "'"}) CHECK(flaw_of_name(name).empty());
  CHECK(flaw_of_name("") == "is empty");
  CHECK(flaw_of_name("a\nb") == "holds the control character 0x0a");
  CHECK(flaw_of_name("a\xC2\x85") == "holds the control character 0x85");
  CHECK(flaw_of_name("\xE2\x80\xAE") == "holds the control character U+202E");
  CHECK(flaw_of_name("\xC0\x8A") == "is not UTF-8 text");
  CHECK(flaw_of_name("a ") == "begins or ends with a blank");
  CHECK(flaw_of_name(std::string(101, 'a')) == "is longer than 100 bytes");
  CHECK(flaw_of_name(std::string(100, 'a')).empty());
}
