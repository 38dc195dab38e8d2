#include "armature/campaign/answers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/identification/statistics.hpp"

namespace armature::campaign {

namespace {

constexpr std::uint64_t few = 20;                     // runs, below which a share is not about normal
constexpr std::uint64_t most_for_influence = 100000;  // runs, more than any rank correlation needs
constexpr double infinite = std::numeric_limits<double>::infinity();

bool ended_early(const CampaignRuns& runs, std::span<const double> row) {
  return row[runs.outcome_column()] == static_cast<double>(RunOutcome::ended_early);
}

/// How bad a value is: larger is worse; a run that ended early is the worst there is.
double badness(const Requirement& r, double value, bool ended) {
  if (ended || std::isnan(value)) return infinite;
  return r.at_most ? value : -value;
}

/// Runs that keep something, counted replicate by replicate; replicates of one run are counted together.
struct KeptCount {
  std::vector<std::uint64_t> replicates;
  void add(std::uint64_t run, std::uint64_t size, bool keeps) {
    const std::uint64_t at = size > 1 ? run / size : 0;
    if (at >= replicates.size()) replicates.resize(at + 1, 0);
    replicates[at] += keeps;
  }
  [[nodiscard]] std::uint64_t kept() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t k : replicates) sum += k;
    return sum;
  }
  [[nodiscard]] Probability probability(std::uint64_t runs, std::uint64_t size, double level) const {
    Probability p{.kept = kept(), .runs = runs};
    if (runs == 0) return {.interval = {0, 1}};
    p.estimate = static_cast<double>(p.kept) / static_cast<double>(runs);
    p.interval = size > 1 ? probability_interval(replicates, size, level) : clopper_pearson(p.kept, runs, level);
    return p;
  }
};

/// The runs with the largest badness so far, the worst first; of equals the earlier one.
class WorstRuns {
 public:
  explicit WorstRuns(int most) : most_(static_cast<std::size_t>(most)) {}
  void add(std::uint64_t run, double badness) {
    if (most_ == 0 || (kept_.size() == most_ && !(badness > kept_.back().first))) return;
    const auto at = std::find_if(kept_.begin(), kept_.end(), [&](const auto& k) { return badness > k.first; });
    kept_.insert(at, {badness, run});
    if (kept_.size() > most_) kept_.pop_back();
  }
  [[nodiscard]] std::vector<std::uint64_t> runs() const {
    std::vector<std::uint64_t> list;
    for (const auto& [bad, run] : kept_) list.push_back(run);
    return list;
  }

 private:
  std::size_t most_;
  std::vector<std::pair<double, std::uint64_t>> kept_;
};

/// Whole replicates alone: an interval comes from those.
std::uint64_t whole(std::uint64_t count, std::uint64_t size) { return count / size * size; }

std::vector<Influence> influences_of(const CampaignRuns& runs, const RunStore& store, std::uint64_t count,
                                     const std::vector<double>& metric, double level) {
  const std::vector<Input>& inputs = runs.variation().inputs();
  const bool pairs = runs.plan().kind() == PlanSettings::Kind::sobol_indices;
  const std::span<const double> y = std::span(metric).first(count);
  std::vector<SobolIndices> indices;
  if (pairs && runs.variation().dimensions() == inputs.size() &&
      std::all_of(metric.begin(), metric.end(), [](double x) { return std::isfinite(x); }))
    indices = sobol_indices(metric, inputs.size(), runs.plan().replicate_size(), level);
  std::vector<Influence> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Influence one{.input = inputs[i].name};
    one.correlation = rank_correlation(store.column(i, count), y);
    one.interval = rank_correlation_interval(one.correlation, count, level);
    if (!indices.empty()) one.indices = indices[i];
    all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const Influence& a, const Influence& b) {
    const auto size = [](const Influence& x) { return x.indices ? x.indices->total : std::abs(x.correlation); };
    return size(a) > size(b);
  });
  return all;
}

/// In ascending order of badness, with the quantiles turned round for what must be large.
std::vector<QuantileAnswer> quantiles_of(const CampaignRuns& runs, const Requirement& r,
                                         const std::vector<double>& metric, double level) {
  const std::uint64_t size = runs.plan().replicate_size();
  std::vector<double> ascending = metric;
  for (double& x : ascending)
    if (std::isnan(x)) x = r.at_most ? infinite : -infinite;
  const std::vector<double> in_order = ascending;
  std::sort(ascending.begin(), ascending.end());
  std::vector<QuantileAnswer> all;
  for (const double q : runs.campaign().quantiles) {
    if (size == 1) {
      all.push_back(quantile_answer(q, ascending, level));
      continue;
    }
    const double at = quantile_answer(q, ascending, level).value;
    std::vector<std::uint64_t> below(in_order.size() / size, 0);
    for (std::size_t i = 0; i < in_order.size(); ++i) below[i / size] += in_order[i] <= at;
    all.push_back(quantile_answer(q, ascending, level, below, size));
  }
  return all;
}

}  // namespace

Interval probability_interval(std::span<const std::uint64_t> kept, std::uint64_t size, double level) {
  std::uint64_t sum = 0;
  std::vector<double> shares;
  for (const std::uint64_t k : kept) {
    sum += k;
    shares.push_back(static_cast<double>(k) / static_cast<double>(size));
  }
  const std::uint64_t runs = size * kept.size();
  if (kept.size() < 2) return clopper_pearson(sum, runs, level);
  Interval interval = student_interval(shares, level);
  const double half = 0.5 / static_cast<double>(runs);  // what is counted is whole
  interval = {std::max(0.0, interval.low - half), std::min(1.0, interval.high + half)};
  if (std::min(sum, runs - sum) < few || interval.width() <= 2 * half) {
    const Interval apart = clopper_pearson(sum, runs, level);
    interval = {std::min(interval.low, apart.low), std::max(interval.high, apart.high)};
  }
  return interval;
}

QuantileAnswer quantile_answer(double q, const std::vector<double>& ascending, double level,
                               std::span<const std::uint64_t> below, std::uint64_t size) {
  const std::uint64_t n = ascending.size();
  const auto at_rank = [&](double rank) {
    if (rank < 1) return -infinite;
    if (rank > static_cast<double>(n)) return infinite;
    return ascending[static_cast<std::size_t>(rank) - 1];
  };
  QuantileAnswer a{.quantile = q};
  a.value = at_rank(std::clamp(std::ceil(q * static_cast<double>(n)), 1.0, static_cast<double>(n)));
  const RankPair ranks = quantile_ranks(q, n, level);
  double low = static_cast<double>(ranks.low), high = static_cast<double>(ranks.high);
  if (size > 1 &&
      below.size() > 1) {  // how much the share below the quantile differs between replicates [Woodruff1952]
    std::vector<double> shares;
    for (const std::uint64_t k : below) shares.push_back(static_cast<double>(k) / static_cast<double>(size));
    const double half = student_interval(shares, level).width() / 2;
    const double from = std::floor(static_cast<double>(n) * (q - half));
    const double to = std::ceil(static_cast<double>(n) * (q + half)) + 1;
    const bool sparse = std::min(q, 1 - q) * static_cast<double>(n) < static_cast<double>(few);
    low = sparse ? std::min(low, from) : from;
    high = sparse ? std::max(high, to) : to;
  }
  a.interval = {at_rank(low), at_rank(high)};
  return a;
}

Probability probability_of_all(const CampaignRuns& runs, const RunStore& store, std::uint64_t count, double level) {
  const std::uint64_t size = runs.plan().replicate_size(), used = whole(count, size);
  std::vector<std::size_t> at;
  for (const Requirement& r : runs.campaign().require) at.push_back(runs.column_of(r.metric));
  KeptCount kept;
  store.scan(used, [&](std::uint64_t run, std::span<const double> row) {
    bool keeps = !ended_early(runs, row);
    for (std::size_t i = 0; i < at.size(); ++i) keeps = keeps && runs.campaign().require[i].holds(row[at[i]]);
    kept.add(run, size, keeps);
  });
  return kept.probability(used, size, level);
}

Answers answers_of(const CampaignRuns& runs, const RunStore& store, std::uint64_t count, double level) {
  const Campaign& campaign = runs.campaign();
  const std::uint64_t size = runs.plan().replicate_size();
  Answers answers{.runs = whole(count, size), .level = level};
  std::vector<KeptCount> kept(campaign.require.size());
  std::vector<WorstRuns> worst(campaign.require.size(), WorstRuns(campaign.worst));
  std::vector<std::size_t> at;
  for (const Requirement& r : campaign.require) at.push_back(runs.column_of(r.metric));
  store.scan(answers.runs, [&](std::uint64_t run, std::span<const double> row) {
    const bool ended = ended_early(runs, row);
    answers.ended_early += ended;
    answers.unbalanced += row[runs.outcome_column()] == static_cast<double>(RunOutcome::unbalanced);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Requirement& r = campaign.require[i];
      kept[i].add(run, size, !ended && r.holds(row[at[i]]));
      worst[i].add(run, badness(r, row[at[i]], ended));
    }
  });
  answers.all = probability_of_all(runs, store, answers.runs, level);
  answers.influence_runs = std::min(whole(most_for_influence, size), answers.runs);
  const JudgedRun nominal{campaign.scenario, runs.nominal(), metrics_of(runs.nominal().log)};
  for (std::size_t i = 0; i < at.size(); ++i) {
    RequirementAnswer a{.requirement = campaign.require[i]};
    const Metric& metric = runs.metrics()[at[i] - runs.outcome_column() - 1];
    a.unit = metric.unit;
    a.nominal = metric.value(nominal);
    a.probability = kept[i].probability(answers.runs, size, level);
    a.worst = worst[i].runs();
    if (answers.runs > 0) {
      const std::vector<double> values = store.column(at[i], answers.runs);
      a.quantiles = quantiles_of(runs, a.requirement, values, level);
      a.influences = influences_of(runs, store, answers.influence_runs, values, level);
    }
    answers.requirements.push_back(std::move(a));
  }
  return answers;
}

}  // namespace armature::campaign
