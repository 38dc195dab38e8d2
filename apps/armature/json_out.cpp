#include "json_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "armature/core/characters.hpp"

namespace armature::app {

namespace {

void refuse_infinite(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw std::logic_error("a number in the answer is not finite");
  if (value.is_structured())
    for (const Json& part : value) refuse_infinite(part);
}

/// JSON leaves control characters beyond ASCII as they are.
std::string harmless(const std::string& json) {
  std::string text;
  for (std::size_t i = 0; i < json.size();) {
    const Character c = character_at(json, i);
    text += c.length > 1 && is_control(c.code) ? fmt::format("\\u{:04x}", static_cast<unsigned>(c.code))
                                               : json.substr(i, c.length);
    i += c.length;  // never 0: what was not UTF-8 is replaced already
  }
  return text;
}

std::string text_of(const Json& value, std::size_t indent) {
  const auto is_simple = [](const Json& part) { return part.is_primitive(); };
  const bool is_list = value.is_array();
  if (value.is_primitive() || value.empty() || (is_list && std::all_of(value.begin(), value.end(), is_simple)))
    return harmless(value.dump(-1, ' ', false, Json::error_handler_t::replace));  // lists of numbers stay on one line
  std::string text = is_list ? "[" : "{";
  for (const auto& [key, part] : value.items()) {
    text += fmt::format("{}\n{:{}}", text.size() > 1 ? "," : "", "", indent + 2);
    if (!is_list) text += text_of(key, 0) + ": ";
    text += text_of(part, indent + 2);
  }
  return text + fmt::format("\n{:{}}{}", "", indent, is_list ? "]" : "}");
}

}  // namespace

void print_json(const Json& answer) {
  refuse_infinite(answer);
  fmt::print("{}\n", text_of(answer, 0));
}

}  // namespace armature::app
