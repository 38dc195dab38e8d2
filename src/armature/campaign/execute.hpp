// The runs of a campaign, on threads, into a table.
#pragma once

#include <atomic>
#include <functional>

#include "armature/campaign/plan.hpp"
#include "armature/campaign/store.hpp"
#include "armature/campaign/variation.hpp"

namespace armature::campaign {

/// What a campaign computes and records of a run.
class CampaignRuns {
 public:
  /// Throws Error where a required metric means nothing in the scenario as it stands.
  explicit CampaignRuns(const Campaign& campaign);

  [[nodiscard]] const Campaign& campaign() const { return campaign_; }
  [[nodiscard]] const Variation& variation() const { return variation_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const std::vector<Metric>& metrics() const { return metrics_; }
  /// Inputs, outcome, metrics.
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] std::size_t outcome_column() const { return variation_.inputs().size(); }
  [[nodiscard]] std::size_t column_of(const std::string& metric) const;
  /// The scenario as it stands, with nothing varied: what people looked at before.
  [[nodiscard]] const RunResult& nominal() const { return nominal_; }

  /// The scenario of run k, from 0. Throws FormatError that names the run where its draw is no machine.
  [[nodiscard]] LoadedScenario scenario(std::uint64_t run) const;
  /// Its row.
  [[nodiscard]] std::vector<double> row(std::uint64_t run) const;
  /// All that the rows depend on, but for how many there are.
  [[nodiscard]] std::string identity() const;

 private:
  const Campaign& campaign_;
  Variation variation_;
  Plan plan_;
  std::vector<Metric> metrics_;
  RunResult nominal_;
};

struct ExecuteSettings {
  int threads = 1;
  std::uint64_t block = 1;  // runs that a thread makes at a time
  /// The rows of `count` runs, one after the other; empty: each by CampaignRuns::row.
  std::function<std::vector<double>(std::uint64_t first, std::uint64_t count)> rows{};
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t rows)> progress;  // called with the number of rows in the table
};

/// Makes the runs `first + rows in the table` up to `last` (not included) and appends them in their order, as they come. What is
/// written does not depend on the number of threads. Ends early where `stop` is set. An Error of a run comes out after the rows before it are
/// written.
void execute(const CampaignRuns& runs, std::uint64_t first, std::uint64_t last, RunStore& store,
             const ExecuteSettings& settings);

}  // namespace armature::campaign
