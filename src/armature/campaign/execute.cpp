#include "armature/campaign/execute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>

#include "armature/core/text.hpp"
#include "armature/core/threads.hpp"

namespace armature::campaign {

namespace {

constexpr const char* outcome_name = "outcome";

/// Those of the whole machine, and those of joints that are asked for.
std::vector<Metric> recorded_metrics(const Campaign& campaign) {
  std::vector<Metric> kept;
  for (Metric& metric : metrics_of_arm(campaign.scenario.arm)) {
    bool asked = !metric.of_one_joint;
    for (const Requirement& r : campaign.require) asked = asked || r.metric == metric.name;
    for (const std::string& name : campaign.record) asked = asked || name == metric.name;
    if (asked) kept.push_back(std::move(metric));
  }
  return kept;
}

double canonical(double x) {
  return std::isnan(x) ? std::nan("") : x;
}  // one NaN, so that tables are equal in every byte

}  // namespace

CampaignRuns::CampaignRuns(const Campaign& campaign)
    : campaign_(campaign),
      variation_(campaign),
      plan_(campaign.plan, variation_.dimensions(), static_cast<std::uint64_t>(campaign.seed), campaign.fresh_noise),
      metrics_(recorded_metrics(campaign)) {
  (void)scenario(0);  // a key that leads nowhere is said before anything runs
  nominal_ = run_timed(campaign.scenario);
  if (outcome_of(nominal_) == RunOutcome::ended_early) return;
  const JudgedRun judged{campaign.scenario, nominal_, metrics_of(nominal_.log)};
  for (const Requirement& r : campaign.require)
    for (const Metric& metric : metrics_)
      if (metric.name == r.metric && std::isnan(metric.value(judged)))
        throw Error(
            fmt::format("the metric '{}' ({}) means nothing in this scenario", metric.name, metric.help),
            "require something else: a reference that ends somewhere settles, a tool that meets a wall feels it, "
            "a joint with limits keeps a distance from them",
            {campaign.file});
}

std::vector<std::string> CampaignRuns::columns() const {
  std::vector<std::string> names;
  for (const Input& input : variation_.inputs()) names.push_back(input.name);
  names.emplace_back(outcome_name);
  for (const Metric& metric : metrics_) names.push_back(metric.name);
  return names;
}

std::size_t CampaignRuns::column_of(const std::string& name) const {
  const auto found = std::find_if(metrics_.begin(), metrics_.end(), [&](const Metric& m) { return m.name == name; });
  return outcome_column() + 1 + static_cast<std::size_t>(found - metrics_.begin());
}

LoadedScenario CampaignRuns::scenario(std::uint64_t run) const {
  const std::vector<double> values = variation_.values(plan_.point(run));
  try {
    return variation_.scenario(values, fmt::format("{}: run {}", campaign_.name, run));
  } catch (const Error& error) {
    throw FormatError(fmt::format("run {}: {}\n  drawn: {}", run, error.finding(), variation_.text(values)),
                      error.hint() + (error.hint().empty() ? "" : "; ") +
                          "`between` keeps a distribution to what can be, and log_normal is never negative",
                      error.place());
  }
}

std::vector<double> CampaignRuns::row(std::uint64_t run) const {
  std::vector<double> row = variation_.values(plan_.point(run));
  const LoadedScenario loaded = scenario(run);
  const RunResult result = run_timed(loaded);
  const RunOutcome outcome = outcome_of(result);
  row.push_back(static_cast<double>(outcome));
  const JudgedRun judged{loaded, result, metrics_of(result.log)};
  for (const Metric& metric : metrics_)
    row.push_back(outcome == RunOutcome::ended_early ? std::nan("") : canonical(metric.value(judged)));
  return row;
}

std::string CampaignRuns::identity() const {
  const char* const kinds[] = {"monte_carlo", "latin_hypercube", "sobol", "sobol_indices"};
  return fmt::format("plan {} in replicates of {}\ncolumns {}\n{}", kinds[static_cast<int>(plan_.kind())],
                     plan_.replicate_size(), fmt::join(columns(), ", "), variation_.identity());
}

namespace {

/// Rows up to the first run that cannot be made, and why it cannot.
struct Made {
  std::vector<double> rows;
  std::uint64_t count = 0;
  std::exception_ptr problem;
};

Made make_rows(const CampaignRuns& runs, std::uint64_t first, std::uint64_t count, const ExecuteSettings& settings) {
  Made made;
  if (settings.rows && count > 1) try {
      made.rows = settings.rows(first, count);
      made.count = count;
      return made;
    } catch (...) {
      // one of them: which, and what lies before it, shows below
    }
  for (std::uint64_t run = first; run < first + count && !made.problem; ++run) try {
      const std::vector<double> row = settings.rows ? settings.rows(run, 1) : runs.row(run);
      made.rows.insert(made.rows.end(), row.begin(), row.end());
      ++made.count;
    } catch (...) {
      made.problem = std::current_exception();
    }
  return made;
}

}  // namespace

void execute(const CampaignRuns& runs, std::uint64_t first, std::uint64_t last, RunStore& store,
             const ExecuteSettings& settings) {
  const std::uint64_t block_size = std::max<std::uint64_t>(1, settings.block);
  const std::uint64_t most_ahead = std::max<std::uint64_t>(1024, 4 * block_size);  // rows that wait for an earlier one
  constexpr auto often = std::chrono::milliseconds(200);                           // what a kill may lose
  std::mutex mutex;
  std::condition_variable written;
  std::map<std::uint64_t, Made> waiting;
  std::uint64_t next = first + store.rows(), due = next;  // to begin, to be written
  std::exception_ptr failure;
  std::uint64_t failed = last;
  auto flushed = std::chrono::steady_clock::now();
  std::vector<double> block;
  const auto flush = [&] {
    if (!block.empty()) {
      store.append(block);
      block.clear();
    }
    flushed = std::chrono::steady_clock::now();
    if (settings.progress) settings.progress(store.rows());
  };
  const auto stopped = [&] { return settings.stop && settings.stop->load(std::memory_order_relaxed); };
  on_threads(settings.threads, [&] {
    std::unique_lock lock(mutex);
    while (true) {
      written.wait(lock, [&] { return next >= std::min(last, failed) || stopped() || next < due + most_ahead; });
      if (next >= std::min(last, failed) || stopped()) break;
      const std::uint64_t run = next, count = std::min(block_size, last - run);
      next += count;
      lock.unlock();
      Made made = make_rows(runs, run, count, settings);
      lock.lock();
      if (made.problem && run + made.count < failed) {
        failed = run + made.count;
        failure = made.problem;
      }
      waiting.emplace(run, std::move(made));
      try {
        for (auto it = waiting.begin(); it != waiting.end() && it->first == due && due < failed; it = waiting.begin()) {
          block.insert(block.end(), it->second.rows.begin(), it->second.rows.end());
          due += it->second.count;
          waiting.erase(it);
        }
        if (std::chrono::steady_clock::now() - flushed > often) flush();
      } catch (...) {  // the disk takes no more
        block.clear();
        failed = 0;
        failure = std::current_exception();
      }
      written.notify_all();
    }
    written.notify_all();
  });
  if (failed > 0 || !failure) flush();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace armature::campaign
