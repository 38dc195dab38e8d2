#include "armature/campaign/intervals.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "armature/campaign/internal/normal.hpp"
#include "armature/campaign/plan.hpp"
#include "armature/identification/statistics.hpp"

namespace armature::campaign {

Interval clopper_pearson(std::uint64_t hits, std::uint64_t runs, double level) {
  if (runs == 0) return {0, 1};
  const double tail = (1 - level) / 2, k = static_cast<double>(hits), n = static_cast<double>(runs);
  return {hits == 0 ? 0 : boost::math::ibeta_inv(k, n - k + 1, tail),
          hits == runs ? 1 : boost::math::ibetac_inv(k + 1, n - k, tail)};
}

RankPair quantile_ranks(double quantile, std::uint64_t runs, double level) {
  // The quantile lies between the values of rank l and u with the probability that l to u - 1 of the runs lie below it.
  const boost::math::binomial_distribution<> below(static_cast<double>(runs), quantile);
  const auto up_to = [&](std::uint64_t k) { return boost::math::cdf(below, static_cast<double>(k)); };
  const auto n = static_cast<double>(runs);
  const double spread = std::sqrt(n * quantile * (1 - quantile)), reach = 8 * spread + 8;
  const auto from = static_cast<std::uint64_t>(std::max(0.0, std::floor(n * quantile - reach)));
  const auto to = std::min(runs, static_cast<std::uint64_t>(std::ceil(n * quantile + reach)));
  RankPair best{0, runs + 1, 1};
  std::uint64_t high = from + 1;
  for (std::uint64_t low = from; low <= to; ++low) {
    const double less = low == 0 ? 0 : up_to(low - 1);
    if (1 - less < level) break;
    while (high <= runs && up_to(high - 1) - less < level) ++high;
    const double sure = (high > runs ? 1 : up_to(high - 1)) - less;
    const std::uint64_t width = high - low, least = best.high - best.low;
    if (width < least || (width == least && sure < best.level)) best = {low, high, sure};
  }
  return best;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Interval student_interval(std::span<const double> values, double level) {
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student_quantile(0.5 + level / 2, n - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean - half, mean + half};
}

Interval rank_correlation_interval(double r, std::uint64_t runs, double level) {
  if (runs < 4) return {-1, 1};
  const double inside = std::clamp(r, -1 + 1e-12, 1 - 1e-12);
  const double half =
      normal_quantile(0.5 + level / 2) * std::sqrt((1 + inside * inside / 2) / (static_cast<double>(runs) - 3));
  return {std::tanh(std::atanh(inside) - half), std::tanh(std::atanh(inside) + half)};
}

std::vector<std::uint64_t> looks(std::uint64_t runs, std::uint64_t size) {
  constexpr std::uint64_t first = 128;  // earlier than this no interval is worth a look
  const std::uint64_t least = std::max(first, Plan::fewest_replicates * (size > 1 ? size : 1));
  std::vector<std::uint64_t> all{runs};
  while (all.back() / 2 >= least) {
    const std::uint64_t next = (all.back() / 2 + size - 1) / size * size;
    if (next >= all.back()) break;
    all.push_back(next);
  }
  std::reverse(all.begin(), all.end());
  return all;
}

}  // namespace armature::campaign
