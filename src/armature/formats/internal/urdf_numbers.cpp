#include "armature/formats/internal/urdf_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/urdf_tree.hpp"

namespace armature::formats {

bool has_xacro(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
}

namespace {

/// What leads from `word`, which is not a number, to one.
std::string number_hint(const XmlAttribute& attribute, const std::string& word) {
  if (word.find(',') != std::string::npos) return "separate numbers by spaces and write 0.5, not 0,5";
  if (has_xacro(attribute.value)) return expand_xacro(attribute.place.file);
  if (std::any_of(word.begin(), word.end(), [](char c) { return (c & 0x80) != 0; }))
    return "write digits, - and . as on a keyboard, and plain spaces: text editors put other characters in their place";
  if (word.find("pi") != std::string::npos || word.find_first_of("*/()") != std::string::npos)
    return "URDF does not compute: write the value";
  return "URDF numbers are SI, without a unit";
}

}  // namespace

std::vector<double> numbers_of(const XmlAttribute& attribute, std::size_t count) {
  std::vector<double> numbers;
  const std::string& text = attribute.value;
  for (std::size_t i = text.find_first_not_of(' '); i != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    const std::string word = text.substr(i, end - i);
    const auto number = parse_double(word);
    if (!number)
      throw FormatError(fmt::format("{}: '{}' is not a finite number", attribute.name, printable(word)),
                        number_hint(attribute, word), attribute.place);
    numbers.push_back(*number);
    i = text.find_first_not_of(' ', end);
  }
  if (numbers.size() != count)
    throw FormatError(fmt::format("{} holds {} numbers, not {}", attribute.name, numbers.size(), count),
                      attribute.name == "rpy" ? "write three angles: roll pitch yaw"
                      : count == 3            ? "write three numbers: x y z"
                      : count == 4            ? "write four numbers: x y z w"
                                              : "write one number",
                      attribute.place);
  return numbers;
}

double number_of(const XmlAttribute& attribute) { return numbers_of(attribute, 1)[0]; }

double number_or_infinity(const XmlAttribute& attribute) {
  std::string word;
  for (const char c : attribute.value)
    if (c != ' ' && c != '.') word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const std::string_view infinite : {"inf", "infinity"}) {
    if (word == infinite || word == fmt::format("+{}", infinite)) return INFINITY;
    if (word == fmt::format("-{}", infinite)) return -INFINITY;
  }
  return number_of(attribute);
}

std::vector<double> magnitudes_of(const XmlAttribute& attribute, std::size_t count) {
  std::vector<double> numbers = numbers_of(attribute, count);
  for (const double number : numbers)
    if (number < 0)
      throw FormatError(fmt::format("{} is {}", attribute.name, number), "a magnitude cannot be negative",
                        attribute.place);
  return numbers;
}

double magnitude_of(const XmlAttribute& attribute) { return magnitudes_of(attribute, 1)[0]; }

}  // namespace armature::formats
