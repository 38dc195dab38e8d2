// Intervals hold the truth as often as they say: by exact sums where there are some, by many campaigns where there are none.
#include "armature/campaign/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "armature/campaign/answers.hpp"
#include "armature/campaign/internal/normal.hpp"
#include "armature/campaign/plan.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::campaign;
using Kind = PlanSettings::Kind;

namespace {

/// P(exactly k of n), term by term.
double binomial(int k, int n, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(p) +
                  (n - k) * std::log(1 - p));
}

int campaigns() { return std::getenv("ARMATURE_LONG_TESTS") ? 1000 : 300; }

/// How far a count of so many trials may stray below its expectation by chance (three deviations).
double by_chance(double share, int trials) { return 3 * std::sqrt(share * (1 - share) / trials); }

/// A quantity with a known distribution: a sum of three normal inputs is normal, as the error of a linear loop is.
double response(const std::vector<double>& point) {
  return 0.8 * normal_quantile(point[0]) - 0.5 * normal_quantile(point[1]) + 0.3 * normal_quantile(point[2]);
}
const double response_deviation = std::sqrt(0.64 + 0.25 + 0.09);

struct Held {
  int probability = 0, quantile = 0, all = 0;
};

/// How often intervals of the probability to stay below the share `truth` and of that quantile hold it.
Held held(Kind kind, int runs, double truth) {
  const double bound = response_deviation * normal_quantile(truth);
  Held h;
  for (int seed = 1; seed <= campaigns(); ++seed) {
    const Plan plan({.kind = kind, .runs = runs}, 3, static_cast<std::uint64_t>(seed));
    const std::uint64_t size = plan.replicate_size();
    std::vector<std::uint64_t> kept(plan.runs() / size, 0);
    std::vector<double> values;
    for (std::uint64_t k = 0; k < plan.runs(); ++k) {
      values.push_back(response(plan.point(k)));
      kept[k / size] += values.back() < bound;
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t k : kept) sum += k;
    const Interval p =
        size > 1 ? probability_interval(kept, size, default_level) : clopper_pearson(sum, plan.runs(), default_level);
    h.probability += p.low <= truth && truth <= p.high;
    std::vector<double> ascending = values;
    std::sort(ascending.begin(), ascending.end());
    QuantileAnswer q = quantile_answer(truth, ascending, default_level);
    if (size > 1) {
      std::vector<std::uint64_t> below(kept.size(), 0);
      for (std::size_t k = 0; k < values.size(); ++k) below[k / size] += values[k] <= q.value;
      q = quantile_answer(truth, ascending, default_level, below, size);
    }
    h.quantile += q.interval.low <= bound && bound <= q.interval.high;
    ++h.all;
  }
  return h;
}

}  // namespace

TEST_CASE("the ends of Clopper and Pearson's interval are where the tails are 2.5 %") {
  for (const int n : {1, 10, 57, 400})
    for (const int k : {0, 1, n / 3, n - 1, n}) {
      CAPTURE(n);
      CAPTURE(k);
      const Interval i = clopper_pearson(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n), 0.95);
      double up_to = 0, from = 0;
      if (k < n)
        for (int j = 0; j <= k; ++j) up_to += binomial(j, n, i.high);
      if (k > 0)
        for (int j = k; j <= n; ++j) from += binomial(j, n, i.low);
      CHECK((k == n ? i.high == 1 : up_to == doctest::Approx(0.025).epsilon(1e-9)));
      CHECK((k == 0 ? i.low == 0 : from == doctest::Approx(0.025).epsilon(1e-9)));
    }
  // a failure in none of 3e8 runs: the upper end of its probability is 1 - 0.025^(1/n)
  const double none = clopper_pearson(0, 300000000, 0.95).high;
  CHECK(none == doctest::Approx(-std::log(0.025) / 3e8).epsilon(1e-6));
}

TEST_CASE("ranks hold a quantile as often as they say, and no closer pair would") {
  for (const int n : {20, 100, 1000})
    for (const double q : {0.05, 0.5, 0.9, 0.99}) {
      CAPTURE(n);
      CAPTURE(q);
      const RankPair r = quantile_ranks(q, static_cast<std::uint64_t>(n), 0.95);
      double sure = 0;
      for (auto k = static_cast<int>(r.low); k < static_cast<int>(r.high); ++k) sure += binomial(k, n, q);
      CHECK(sure == doctest::Approx(r.level).epsilon(1e-9));
      CHECK(sure >= 0.95 - 1e-12);
      for (int low = 0; low + static_cast<int>(r.high - r.low) - 1 <= n + 1; ++low) {
        double less = 0;
        for (int k = low; k < low + static_cast<int>(r.high - r.low) - 1 && k <= n; ++k) less += binomial(k, n, q);
        CHECK(less < 0.95);
      }
    }
}

TEST_CASE("95 % intervals of probabilities and quantiles hold the known answer") {
  for (const Kind kind : {Kind::monte_carlo, Kind::latin_hypercube, Kind::sobol})
    for (const double truth : {0.5, 0.9, 0.97}) {
      const Held h = held(kind, 1024, truth);
      CAPTURE(static_cast<int>(kind));
      CAPTURE(truth);
      CAPTURE(h.probability);
      CAPTURE(h.quantile);
      const double n = h.all, slack = by_chance(0.95, h.all);
      CHECK(h.probability / n >= 0.95 - slack);
      CHECK(h.quantile / n >= 0.95 - slack);
      if (kind == Kind::monte_carlo) CHECK(h.quantile / n <= 0.96 + slack);
      if (h.all == 1000) {
        CHECK(h.probability / n >= 0.94);
        CHECK((h.quantile / n >= 0.93 && h.quantile / n <= (kind == Kind::monte_carlo ? 0.97 : 1.0)));
      }
    }
}

TEST_CASE("an interval holds though the campaign stops when it looks narrow") {
  for (const double truth : {0.5, 0.97, 0.999})
    for (const double width : {0.1, 0.02}) {
      const double bound = response_deviation * normal_quantile(truth);
      int holds = 0, early = 0;
      const int all = campaigns();
      const std::vector<std::uint64_t> stages = looks(16384, 1);
      const double level = level_of_a_look(stages.size(), default_level);
      for (int seed = 1; seed <= all; ++seed) {
        const Plan plan({.runs = 16384}, 3, static_cast<std::uint64_t>(7000 + seed));
        std::uint64_t kept = 0, run = 0;
        Interval i;
        for (const std::uint64_t stage : stages) {
          for (; run < stage; ++run) kept += response(plan.point(run)) < bound;
          i = clopper_pearson(kept, run, level);
          if (i.width() <= width) break;
        }
        early += run < 16384;
        holds += i.low <= truth && truth <= i.high;
      }
      CAPTURE(truth);
      CAPTURE(width);
      CAPTURE(early);
      CHECK(holds >= 0.95 * all - all * by_chance(0.95, all));
      if (all == 1000) CHECK(holds >= 940);
      CHECK((width < 0.1 || early == all));  // it does stop early
    }
}

TEST_CASE("looks double, end with all runs and divide into replicates") {
  CHECK(looks(1000, 1) == std::vector<std::uint64_t>{250, 500, 1000});
  CHECK(looks(100, 1) == std::vector<std::uint64_t>{100});
  for (const std::uint64_t look : looks(64 * 40, 64)) CHECK(look % 64 == 0);
  CHECK(looks(64 * 40, 64).front() >= Plan::fewest_replicates * 64);
}

TEST_CASE("stratified plans earn narrower intervals than independent runs") {
  // else replicates would be counted as if they were independent, which is what these plans are not for
  std::vector<std::uint64_t> kept(16, 0);
  const Plan plan({.kind = Kind::latin_hypercube, .runs = 4096}, 3, 1);
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < 4096; ++k) {
    const bool keeps = response(plan.point(k)) < 0;
    kept[k / 256] += keeps;
    sum += keeps;
  }
  CHECK(probability_interval(kept, 256, 0.95).width() < 0.8 * clopper_pearson(sum, 4096, 0.95).width());
}
