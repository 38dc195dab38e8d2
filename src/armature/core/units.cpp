#include "armature/core/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/core/quantity.hpp"
#include "armature/core/text.hpp"

namespace armature::core {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// Length of the longest prefix of `text` that spells a decimal number.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) ++i;
    return i - start;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  std::size_t count = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    count += digits();
  }
  if (count == 0) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const std::size_t mantissa = i++;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) i = mantissa;
  }
  return i;
}

/// Whether the number that `text` spells is less than one, however many digits it has.
bool is_below_one(std::string_view text) {
  const std::size_t exponent_mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const auto size = static_cast<long long>(point) - static_cast<long long>(first);  // digits before the point
  std::string_view digits = text.substr(std::min(exponent_mark + 1, text.size()));
  if (digits.starts_with('+')) digits.remove_prefix(1);
  long long exponent = 0;
  const auto answer = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (answer.ec == std::errc::result_out_of_range) return digits.starts_with('-');
  return (size > 0 ? size : size + 1) + std::clamp(exponent, -1'000'000'000LL, 1'000'000'000LL) <= 0;
}

struct Unit {
  std::string_view name;
  double factor;
  Dimension dimension;
};

constexpr std::array units{
    Unit{"rad", 1.0, {}},
    Unit{"deg", deg, {}},
    Unit{"mrad", 1e-3, {}},
    Unit{"turn", 2 * pi, {}},
    Unit{"rev", 2 * pi, {}},
    Unit{"rpm", 2 * pi / 60, dimension::rate},
    Unit{"%", 1e-2, {}},
    Unit{"m", 1.0, dimension::length},
    Unit{"mm", 1e-3, dimension::length},
    Unit{"cm", 1e-2, dimension::length},
    Unit{"um", 1e-6, dimension::length},
    Unit{"km", 1e3, dimension::length},
    Unit{"kg", 1.0, dimension::mass},
    Unit{"g", 1e-3, dimension::mass},
    Unit{"s", 1.0, dimension::time},
    Unit{"ms", 1e-3, dimension::time},
    Unit{"us", 1e-6, dimension::time},
    Unit{"ns", 1e-9, dimension::time},
    Unit{"min", 60.0, dimension::time},
    Unit{"h", 3600.0, dimension::time},
    Unit{"Hz", 1.0, dimension::rate},
    Unit{"kHz", 1e3, dimension::rate},
    Unit{"N", 1.0, dimension::force},
    Unit{"kN", 1e3, dimension::force},
    Unit{"mN", 1e-3, dimension::force},
    Unit{"daN", 10.0, dimension::force},
    Unit{"kgf", 9.80665, dimension::force},
    Unit{"lbf", 4.4482216152605, dimension::force},
    Unit{"Nm", 1.0, dimension::torque},
    Unit{"mNm", 1e-3, dimension::torque},
    Unit{"Nmm", 1e-3, dimension::torque},
    Unit{"J", 1.0, dimension::torque},
    Unit{"W", 1.0, {2, 1, -3, 0}},
    Unit{"A", 1.0, {0, 0, 0, 1}},
    Unit{"mA", 1e-3, {0, 0, 0, 1}},
    Unit{"V", 1.0, {2, 1, -3, -1}},
    Unit{"mV", 1e-3, {2, 1, -3, -1}},
    Unit{"ohm", 1.0, {2, 1, -3, -2}},
    Unit{"H", 1.0, {2, 1, -2, -2}},
    Unit{"mH", 1e-3, {2, 1, -2, -2}},
    Unit{"uH", 1e-6, {2, 1, -2, -2}},
};

Unit find_unit(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit;
  std::vector<std::string> names;
  for (const Unit& unit : units) names.emplace_back(unit.name);
  throw FormatError("unknown unit '" + printable(name) + "'", suggestion(name, names));
}

/// Reads a product of units such as "N*m*s/rad", "kg m^2" or "1/s^2".
Unit parse_unit(std::string_view text) {
  Unit result{text, 1.0, {}};
  int sign = 1;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) || c == '*' || (c == '1' && i == 0)) {
      ++i;
      continue;
    }
    if (c == '/') {
      if (sign < 0)
        throw FormatError("the unit '" + printable(text) + "' divides twice", "write it with one '/', e.g. N*m/rad");
      sign = -1;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && (std::isalpha(static_cast<unsigned char>(text[end])) || text[end] == '%')) ++end;
    if (end == i)
      throw FormatError("'" + printable(text) + "' is not a unit",
                        "write a quantity as a number and a unit, e.g. 90 deg or 2 N*m*s/rad");
    const Unit unit = find_unit(text.substr(i, end - i));
    i = end;
    int power = 1;
    if (i < text.size() && text[i] == '^') {
      const std::size_t start = ++i;
      if (i < text.size() && text[i] == '-') ++i;
      while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) ++i;
      const auto exponent = parse_double(text.substr(start, i - start));
      if (!exponent || std::abs(*exponent) > 9)
        throw FormatError("'" + printable(text) + "' has no readable exponent", "write e.g. kg*m^2");
      power = static_cast<int>(*exponent);
    }
    result.factor *= std::pow(unit.factor, sign * power);
    result.dimension.metre += sign * power * unit.dimension.metre;
    result.dimension.kilogram += sign * power * unit.dimension.kilogram;
    result.dimension.second += sign * power * unit.dimension.second;
    result.dimension.ampere += sign * power * unit.dimension.ampere;
  }
  return result;
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || number_length(text) != text.size()) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::result_out_of_range)  // too small reads as zero; too large is no number
    return is_below_one(text) ? std::optional(0.0) : std::nullopt;
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

WrittenQuantity read_quantity(std::string_view text) {
  text = trimmed(text);
  const std::size_t length = number_length(text);
  const auto number = parse_double(text.substr(0, length));
  if (length == 0 || !number)
    throw FormatError("'" + printable(text) + "' is not a finite number",
                      "write a number and a unit, e.g. 90 deg or 0.2 m");
  const std::string_view unit_text = trimmed(text.substr(length));
  if (unit_text.empty()) return {*number, {}, {}};  // SI
  const Unit unit = parse_unit(unit_text);
  const double value = *number * unit.factor;
  if (!std::isfinite(value) || !(unit.factor > 0) || !std::isfinite(unit.factor))
    throw FormatError("'" + printable(text) + "' is larger or smaller than any number here", "is the exponent right?");
  return {value, unit.dimension, std::string(unit_text)};
}

std::string quantity_text(const WrittenQuantity& quantity) {
  std::string number = exact_text(quantity.value);
  if (quantity.unit.empty()) return number;
  return number + " " + (quantity.dimension == dimension::none ? "rad" : to_string(quantity.dimension));
}

double parse_quantity(std::string_view text, Dimension expected) {
  const WrittenQuantity read = read_quantity(text);
  if (!read.unit.empty() && !(read.dimension == expected))
    throw FormatError("'" + printable(trimmed(text)) + "' is not a quantity in " + to_string(expected),
                      "its unit means " + to_string(read.dimension));
  return read.value;
}

std::string to_string(Dimension d) {
  if (d == dimension::none) return "rad (or a plain number)";
  if (d == dimension::force) return "N";
  if (d == dimension::torque) return "N m";
  std::string text;
  const auto add = [&](const char* name, int power) {
    if (power == 0) return;
    if (!text.empty()) text += ' ';
    text += name;
    if (power != 1) text += "^" + std::to_string(power);
  };
  add("kg", d.kilogram);
  add("m", d.metre);
  add("s", d.second);
  add("A", d.ampere);
  return text;
}

}  // namespace armature::core
