#include "armature/report/campaign_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"

namespace armature::report {
namespace {

/// As many digits as tell it from 0 and 1.
std::string percent(double share) {
  const double p = 100 * share, left = std::min(p, 100 - p);
  if (left <= 0) return fmt::format("{:.0f}", p);
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(left))), 2, 12) - 1;
  return fmt::format("{:.{}f}", p, digits);
}

std::string number_text(double x) {
  return std::isinf(x) ? (x > 0 ? "unbounded" : "-unbounded") : std::isnan(x) ? "-" : fmt::format("{:.4g}", x);
}

constexpr std::size_t most_influences = 8;  // in a table

}  // namespace

double scale_of_bound(const Requirement& r) { return r.unit.empty() ? 1 : read_quantity("1 " + r.unit).value; }

std::string in_unit_of(const Requirement& r, double value) {
  const std::string number = number_text(value / scale_of_bound(r));
  return r.unit.empty() || !std::isfinite(value) ? number : number + " " + r.unit;
}

std::string probability_text(const Probability& p) {
  return fmt::format("{} % ({} to {})", percent(p.estimate), percent(p.interval.low), percent(p.interval.high));
}

LogTable verdict_table(const Answers& answers) {
  LogTable table{"Verdict", {"requirement", "nominal", "kept", "of runs", "probability %", "from", "to"}, {}};
  const auto add = [&](const std::string& what, const std::string& nominal, const Probability& p) {
    table.rows.push_back({what, nominal, std::to_string(p.kept), std::to_string(p.runs), percent(p.estimate),
                          percent(p.interval.low), percent(p.interval.high)});
  };
  for (const RequirementAnswer& a : answers.requirements)
    add(fmt::format("{} {}", a.requirement.metric, a.requirement.text), in_unit_of(a.requirement, a.nominal),
        a.probability);
  if (answers.requirements.size() > 1) add("all together", "", answers.all);
  return table;
}

LogTable quantile_table(const Answers& answers) {
  LogTable table{"Quantiles", {"metric", "unit", "quantile", "value", "from", "to"}, {}};
  for (const RequirementAnswer& a : answers.requirements) {
    const double scale = scale_of_bound(a.requirement);
    for (const QuantileAnswer& q : a.quantiles)
      table.rows.push_back({a.requirement.metric, a.requirement.unit, fmt::format("{:.4g} %", 100 * q.quantile),
                            number_text(q.value / scale), number_text(q.interval.low / scale),
                            number_text(q.interval.high / scale)});
  }
  return table;
}

LogTable influence_table(const RequirementAnswer& answer) {
  LogTable table{
      fmt::format("What matters for {}", answer.requirement.metric), {"input", "rank correlation", "from", "to"}, {}};
  const bool indices = !answer.influences.empty() && answer.influences.front().indices;
  if (indices)
    for (const char* name : {"first index", "from", "to", "total index", "from", "to"}) table.header.emplace_back(name);
  for (const Influence& i : answer.influences) {
    if (table.rows.size() == most_influences) break;
    const auto number = [](double x) { return fmt::format("{:.3f}", x); };
    std::vector<std::string> row{i.input, number(i.correlation), number(i.interval.low), number(i.interval.high)};
    if (indices)
      for (const double x : {i.indices->first, i.indices->first_interval.low, i.indices->first_interval.high,
                             i.indices->total, i.indices->total_interval.low, i.indices->total_interval.high})
        row.push_back(number(x));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string verdict_sentence(const CampaignRuns& runs, const Answers& answers) {
  const double sure = 100 * default_level;
  std::string text = fmt::format("With {:g} % confidence the requirements are kept with a probability of {} to {} %",
                                 sure, percent(answers.all.interval.low), percent(answers.all.interval.high));
  if (const std::optional<double>& target = runs.campaign().target) {
    const bool shown = answers.all.interval.low >= *target, refuted = answers.all.interval.high < *target;
    text += fmt::format(": the target of {} % is {}", percent(*target),
                        shown     ? "shown"
                        : refuted ? "missed"
                                  : "neither shown nor refuted by this many runs");
  }
  return text + ". This holds for the model and the variations in it, not for the machine.";
}

}  // namespace armature::report
