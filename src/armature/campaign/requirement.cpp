#include "armature/campaign/requirement.hpp"

#include <fmt/format.h>

#include "armature/core/text.hpp"

namespace armature::campaign {

const Metric& metric_named(const std::vector<Metric>& all, const std::string& name, const Place& place) {
  std::vector<std::string> names;
  for (const Metric& metric : all) {
    if (metric.name == name) return metric;
    names.push_back(metric.name);
  }
  throw FormatError(fmt::format("there is no metric '{}'", printable(name)), suggestion(name, names), place);
}

Requirement read_requirement(const Metric& metric, const Yaml& value) {
  const std::string text = text_of(value, metric.name);
  Requirement r{.metric = metric.name, .text = text};
  std::string_view rest = text;
  bool found = false;
  for (const auto& [word, most] : {std::pair{"<", true}, {">", false}, {"below ", true}, {"above ", false}})
    if (!found && rest.starts_with(word)) {
      r.at_most = most;
      found = true;
      rest.remove_prefix(std::string_view(word).size());
    }
  if (!found)
    throw FormatError(fmt::format("'{}' is no bound of {}", printable(text), metric.name),
                      "write below 2 mm or above 10 % (or < 2 mm; '> 10 %' in quotes)", value.place);
  try {
    r.bound = parse_quantity(rest, metric.dimension);
    r.unit = read_quantity(rest).unit;
  } catch (const Error& error) {
    throw FormatError(fmt::format("the bound of {}: {}", metric.name, error.finding()), error.hint(), value.place);
  }
  return r;
}

}  // namespace armature::campaign
