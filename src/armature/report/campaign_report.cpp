#include "armature/report/campaign_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/report/campaign_tables.hpp"

namespace armature::report {
namespace {

/// Counts of runs over a metric, between its smallest and largest finite value, with the bound drawn in.
Figure histogram(const RequirementAnswer& a, const std::vector<double>& values) {
  const Requirement& r = a.requirement;
  const double scale = scale_of_bound(r);
  Figure figure{"", fmt::format("{} over the runs", r.metric), {r.metric, r.unit}, {"runs", ""}, {}};
  double low = r.bound, high = r.bound;
  for (const double x : values)
    if (std::isfinite(x)) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  if (!(high > low)) return figure;
  constexpr int bins = 50;
  std::vector<double> counts(bins, 0);
  for (const double x : values)
    if (std::isfinite(x))
      ++counts[std::min<std::size_t>(bins - 1, static_cast<std::size_t>((x - low) / (high - low) * bins))];
  FigureSeries bars{"runs", {}, counts, FigureSeries::Style::bars};
  for (int k = 0; k < bins; ++k) bars.x.push_back((low + (k + 0.5) * (high - low) / bins) / scale);
  const double top = *std::max_element(counts.begin(), counts.end());
  figure.series = {std::move(bars), {"bound " + r.text, {r.bound / scale, r.bound / scale}, {0, top}}};
  return figure;
}

/// The strongest inputs and their intervals, one below the other.
Figure tornado(const RequirementAnswer& a) {
  const bool indices = !a.influences.empty() && a.influences.front().indices;
  Figure figure{"",
                fmt::format("What matters for {}", a.requirement.metric),
                {"", ""},
                {indices ? "total Sobol' index" : "rank correlation", ""},
                {}};
  FigureSeries series{indices ? "total index" : "rank correlation", {}, {}, FigureSeries::Style::points};
  for (const Influence& i : a.influences) {
    if (series.x.size() == 12) break;
    const Interval& interval = indices ? i.indices->total_interval : i.interval;
    series.x.push_back(static_cast<double>(series.x.size() + 1));
    series.y.push_back(indices ? i.indices->total : i.correlation);
    series.low.push_back(interval.low);
    series.high.push_back(interval.high);
    figure.x.categories.push_back(i.input);
  }
  figure.series = {std::move(series)};
  return figure;
}

/// Some runs that keep everything and some that do not, as lines across all inputs and required metrics: each axis from the smallest to the
/// largest of its values.
Figure parallel_coordinates(const CampaignRuns& runs, const RunStore& store, const Answers& answers) {
  Figure figure{"", "Runs side by side", {"", ""}, {"from the smallest to the largest value", ""}, {}};
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < std::min<std::size_t>(10, runs.variation().inputs().size()); ++i) columns.push_back(i);
  for (const RequirementAnswer& a : answers.requirements) columns.push_back(runs.column_of(a.requirement.metric));
  const std::vector<std::string> names = runs.columns();
  for (const std::size_t c : columns) figure.x.categories.push_back(names[c]);
  constexpr std::size_t most = 60;  // lines of each kind
  std::vector<std::vector<double>> kept, broken;
  std::vector<double> low(columns.size(), INFINITY), high(columns.size(), -INFINITY);
  store.scan(std::min<std::uint64_t>(answers.runs, 20000), [&](std::uint64_t, std::span<const double> row) {
    bool keeps = row[runs.outcome_column()] != 1;
    for (const RequirementAnswer& a : answers.requirements)
      keeps = keeps && a.requirement.holds(row[runs.column_of(a.requirement.metric)]);
    std::vector<double> line;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double x = row[columns[k]];
      line.push_back(x);
      if (std::isfinite(x)) {
        low[k] = std::min(low[k], x);
        high[k] = std::max(high[k], x);
      }
    }
    auto& lines = keeps ? kept : broken;
    if (lines.size() < most) lines.push_back(std::move(line));
  });
  for (const auto& [lines, name] : {std::pair{&kept, "all kept"}, {&broken, "something broken"}}) {
    FigureSeries series{name, {}, {}};
    for (const std::vector<double>& line : *lines) {
      for (std::size_t k = 0; k < line.size(); ++k) {
        series.x.push_back(static_cast<double>(k + 1));
        series.y.push_back(high[k] > low[k] ? (line[k] - low[k]) / (high[k] - low[k]) : 0.5);
      }
      series.x.push_back(std::nan(""));
      series.y.push_back(std::nan(""));
    }
    if (!lines->empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

std::string kept_runs_text(const CampaignRuns& runs, const std::vector<KeptRun>& kept) {
  std::string text;
  for (const KeptRun& k : kept) {
    const std::vector<double> values = runs.variation().values(runs.plan().point(k.run));
    text += fmt::format("- [run {}]({}/index.html), {}: {}\n", k.run, k.folder, k.why, runs.variation().text(values));
  }
  return text;
}

}  // namespace

Report campaign_report(const CampaignRuns& runs, const RunStore& store, const Answers& answers,
                       const std::vector<KeptRun>& kept) {
  Report report{.kind = "campaign", .title = runs.campaign().name};
  report.subtitle =
      runs.campaign().question + (runs.campaign().question.empty() ? "" : " ") + verdict_sentence(runs, answers);
  Log log;
  log.title = runs.campaign().name;
  log.facts = {{"robot", runs.campaign().scenario.arm.name()},
               {"runs", fmt::format("{} of {}", answers.runs, runs.plan().runs())},
               {"seed", std::to_string(runs.campaign().seed)}};
  log.tables = {verdict_table(answers), quantile_table(answers)};
  log.tables.front().title = "Summary";  // leads the page
  for (const RequirementAnswer& a : answers.requirements) {
    log.tables.push_back(influence_table(a));
    if (answers.runs == 0) continue;
    log.figures.push_back(histogram(a, store.column(runs.column_of(a.requirement.metric), answers.runs)));
    log.figures.push_back(tornado(a));
  }
  if (answers.runs > 0) log.figures.push_back(parallel_coordinates(runs, store, answers));
  std::erase_if(log.figures, [](const Figure& f) { return f.series.empty(); });
  if (!kept.empty()) log.texts.push_back({LogText::Kind::markdown, "The worst runs", kept_runs_text(runs, kept)});
  report.logs = {std::move(log)};
  return report;
}

}  // namespace armature::report
