#include "armature/campaign/tune.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>

#include "armature/campaign/execute.hpp"
#include "armature/core/quantity.hpp"
#include "armature/core/text.hpp"
#include "armature/core/threads.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/key_path.hpp"

namespace armature::campaign {

namespace {

constexpr int other_draws = 1 << 30;  // added to the seed
constexpr double step_end = 0.02;     // of the logarithm of a factor: closer than this the search does not look

/// The value of a key with all its numbers times a factor, to four digits and in the unit they are written in, as YAML.
std::string scaled_text(const Yaml& value, double factor, const std::string& key) {
  if (value.kind == Yaml::Kind::list) {
    std::string text;
    for (const Yaml& item : value.list) text += (text.empty() ? "[" : ", ") + scaled_text(item, factor, key);
    return text.empty() ? "[]" : text + "]";
  }
  if (value.kind != Yaml::Kind::text)
    throw Error(fmt::format("--tune {}: this has no numbers", printable(key)), "a gain: controller.kp");
  WrittenQuantity q;
  try {
    q = read_quantity(value.text);
  } catch (const Error&) {
    throw Error(fmt::format("--tune {}: '{}' is no number", printable(key), printable(value.text)),
                "a gain: controller.kp");
  }
  const std::string_view number = std::string_view(value.text).substr(0, value.text.rfind(q.unit));
  const double rounded = *parse_double(fmt::format("{:.3e}", *parse_double(number) * factor));
  return exact_text(rounded) + (q.unit.empty() ? "" : " " + q.unit);
}

/// One search: what is tried, and what came of it.
class Search {
 public:
  Search(const std::string& file, const Overrides& overrides, const TuneSettings& settings)
      : file_(file), overrides_(overrides), settings_(settings) {
    const LoadedScenario base = load_campaign(file, overrides, settings.kernels).scenario;
    Yaml tree = parse_yaml(base.text, base.places.of("").file);
    for (const std::string& key : settings.keys) {
      values_.push_back(*values_at(tree, key, {"--tune"}, false).front());
      if (values_.back().kind == Yaml::Kind::list && values_.back().list.empty())
        throw Error(fmt::format("--tune {}: the scenario gives it no value", printable(key)),
                    "write one to start from");
      (void)scaled_text(values_.back(), 1, key);
    }
  }

  [[nodiscard]] Overrides settings_at(const std::vector<double>& factors) const {
    Overrides all;
    for (std::size_t i = 0; i < factors.size(); ++i)
      all.emplace_back(settings_.keys[i], scaled_text(values_[i], factors[i], settings_.keys[i]));
    return all;
  }

  /// The quantile of the margins with these logarithms of factors.
  double trial(const std::vector<double>& logarithms) {
    std::vector<double> factors;
    for (const double x : logarithms) factors.push_back(std::exp(x));
    Overrides overrides = overrides_;
    for (auto& setting : settings_at(factors)) overrides.push_back(std::move(setting));
    Campaign campaign = load_campaign(file_, overrides, settings_.kernels);
    campaign.seed = (campaign.seed + other_draws) % 2147483647;
    campaign.plan = {.runs = settings_.runs};
    const double found = quantile_of_margins(CampaignRuns(campaign));
    ++trials;
    if (trials == 1) first = found;
    if (trials == 1 || found > best) {
      best = found;
      best_factors = factors;
    }
    if (settings_.progress) settings_.progress(trials, best);
    return found;
  }

  std::vector<double> best_factors;
  double best = 0, first = 0;
  int trials = 0;
  std::exception_ptr failure;

 private:
  [[nodiscard]] double quantile_of_margins(const CampaignRuns& runs) const {
    const std::vector<Requirement>& require = runs.campaign().require;
    std::vector<double> margins(static_cast<std::size_t>(settings_.runs));
    std::atomic<std::size_t> next = 0;
    on_threads(settings_.threads, [&] {
      for (std::size_t k = next++; k < margins.size(); k = next++) {
        const std::vector<double> row = runs.row(k);
        std::vector<double> values;
        for (const Requirement& r : require) values.push_back(row[runs.column_of(r.metric)]);
        margins[k] = margin_of(require, values, row[runs.outcome_column()] == 1);
      }
    });
    const auto at = static_cast<std::ptrdiff_t>(settings_.quantile * static_cast<double>(margins.size()));
    std::nth_element(margins.begin(), margins.begin() + at, margins.end());
    return margins[at];
  }

  std::string file_;
  Overrides overrides_;
  const TuneSettings& settings_;
  std::vector<Yaml> values_;
};

struct OptimizerClose {
  void operator()(nlopt_opt optimizer) const { nlopt_destroy(optimizer); }
};

}  // namespace

double margin_of(const std::vector<Requirement>& requirements, const std::vector<double>& values, bool ended_early) {
  double least = 1;
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const Requirement& r = requirements[i];
    const double room = r.at_most ? r.bound - values[i] : values[i] - r.bound;
    const double share = room / (r.bound != 0 ? std::abs(r.bound) : 1);
    least = std::isnan(share) ? -1 : std::min(least, share);
  }
  return ended_early ? -1 : std::max(least, -1.0);
}

Tuned tune_campaign(const std::string& file, const Overrides& overrides, const TuneSettings& settings) {
  if (settings.keys.empty()) throw Error("--tune names no key", "e.g. --tune controller.kp,controller.kd");
  Search search(file, overrides, settings);
  const auto n = static_cast<unsigned>(settings.keys.size());
  const std::unique_ptr<nlopt_opt_s, OptimizerClose> optimizer(nlopt_create(NLOPT_LN_NELDERMEAD, n));
  const auto objective = [](unsigned count, const double* x, double*, void* data) {
    auto& s = *static_cast<std::pair<Search*, nlopt_opt>*>(data);
    try {
      return s.first->trial(std::vector<double>(x, x + count));
    } catch (...) {  // must not pass through a library in C
      s.first->failure = std::current_exception();
      nlopt_force_stop(s.second);
      return -2.0;
    }
  };
  std::pair<Search*, nlopt_opt> data{&search, optimizer.get()};
  nlopt_set_max_objective(optimizer.get(), objective, &data);
  nlopt_set_lower_bounds1(optimizer.get(), -std::log(settings.most));
  nlopt_set_upper_bounds1(optimizer.get(), std::log(settings.most));
  nlopt_set_initial_step1(optimizer.get(), 0.4);
  nlopt_set_xtol_abs1(optimizer.get(), step_end);
  nlopt_set_maxeval(optimizer.get(), settings.trials);
  std::vector<double> x(n, 0.0);
  double best = 0;
  const nlopt_result result = nlopt_optimize(optimizer.get(), x.data(), &best);
  if (search.failure) std::rethrow_exception(search.failure);
  if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED) throw Error("the search for settings fails", "fewer keys");
  Tuned tuned{search.best_factors, search.settings_at(search.best_factors), {}, search.first, search.best,
              search.trials};
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(std::log(tuned.factors[i])) > std::log(settings.most) - step_end)
      tuned.at_bound.push_back(settings.keys[i]);
  return tuned;
}

}  // namespace armature::campaign
