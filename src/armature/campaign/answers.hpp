// What the runs of a campaign say.
#pragma once

#include <string>
#include <vector>

#include "armature/campaign/execute.hpp"
#include "armature/campaign/influence.hpp"
#include "armature/campaign/intervals.hpp"

namespace armature::campaign {

/// A probability with its interval.
struct Probability {
  std::uint64_t kept = 0, runs = 0;
  double estimate = 0;
  Interval interval;
};

struct QuantileAnswer {
  double quantile = 0, value = 0;
  Interval interval;  // infinite where the runs are too few for an end
};

/// What an input does to a metric.
struct Influence {
  std::string input;
  double correlation = 0;  // of ranks
  Interval interval;
  std::optional<SobolIndices> indices;
};

struct RequirementAnswer {
  Requirement requirement;
  std::string unit;
  double nominal = 0;  // of the scenario with nothing varied
  Probability probability;
  std::vector<QuantileAnswer> quantiles;
  std::vector<Influence> influences;  // the strongest first
  std::vector<std::uint64_t> worst;   // runs, the worst first
};

struct Answers {
  std::uint64_t runs = 0;
  double level = default_level;  // of every interval
  std::vector<RequirementAnswer> requirements;
  Probability all;                   // of keeping every requirement
  std::uint64_t ended_early = 0;     // runs that diverged or could not be continued; they fail every requirement
  std::uint64_t unbalanced = 0;      // runs whose energy balance does not close
  std::uint64_t influence_runs = 0;  // from which the influences come
};

/// Keeping all requirements in the first `count` runs of the table: the interval of independent runs, or of replicates that are.
Probability probability_of_all(const CampaignRuns& runs, const RunStore& store, std::uint64_t count, double level);

/// Everything that the first `count` runs say. Memory: one column of them.
Answers answers_of(const CampaignRuns& runs, const RunStore& store, std::uint64_t count, double level = default_level);

/// The interval of a probability from `kept` of the runs of each replicate. With replicates of one run it is Clopper and Pearson's; else
/// Student's, of their means - and where fewer than twenty runs keep or break the requirement, or all replicates agree, at least as wide as
/// that of as many independent runs.
Interval probability_interval(std::span<const std::uint64_t> kept, std::uint64_t replicate_size, double level);

/// A quantile of values in ascending order, with ranks by independent runs or by how replicates differ. `below` are the numbers of
/// values in each replicate that do not exceed the quantile's estimate.
QuantileAnswer quantile_answer(double quantile, const std::vector<double>& ascending, double level,
                               std::span<const std::uint64_t> below = {}, std::uint64_t replicate_size = 1);

}  // namespace armature::campaign
