// What a run must keep: a metric and its bound.
#pragma once

#include <string>

#include "armature/campaign/metrics.hpp"
#include "armature/core/quantity.hpp"
#include "armature/formats/yaml.hpp"

namespace armature::campaign {

/// "tool_largest: < 2 mm".
struct Requirement {
  std::string metric;
  bool at_most = true;  // else: at least
  double bound = 0;     // [SI]
  std::string text;     // of the bound: "< 2 mm"
  std::string unit{};   // in which it is written: "mm"

  [[nodiscard]] bool holds(double value) const { return at_most ? value < bound : value > bound; }  // never for NaN
};

/// Reads "< 2 mm", "> 10 %", "below 2 mm" or "above 10 %". Throws FormatError with place and hint.
Requirement read_requirement(const Metric& metric, const Yaml& value);

/// The metric of that name; throws FormatError, with the nearest, where there is none.
const Metric& metric_named(const std::vector<Metric>& all, const std::string& name, const Place& place);

}  // namespace armature::campaign
