#include "armature/campaign/influence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace armature::campaign {

namespace {

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::isnan(values[i]) ? INFINITY : values[i]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<double> rank(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && key(order[end]) == key(order[i])) ++end;
    for (std::size_t k = i; k < end; ++k) rank[order[k]] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return rank;
}

}  // namespace

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> a = ranks(x), b = ranks(y);
  const double middle = 0.5 * (static_cast<double>(a.size()) - 1);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double u = a[i] - middle, v = b[i] - middle;
    ab += u * v;
    aa += u * u;
    bb += v * v;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

std::vector<SobolIndices> sobol_indices(std::span<const double> values, std::size_t inputs, std::uint64_t size,
                                        double level) {
  const std::size_t mixtures = inputs + 2, replicates = values.size() / size, points = size / mixtures;
  std::vector<std::vector<double>> first(inputs), total(inputs);
  for (std::size_t r = 0; r < replicates; ++r) {
    const double* f = values.data() + r * size;
    double mean = 0, squares = 0;
    for (std::size_t k = 0; k < points; ++k) mean += f[k * mixtures] + f[k * mixtures + 1];
    mean /= 2 * static_cast<double>(points);
    for (std::size_t k = 0; k < points; ++k)
      for (std::size_t m = 0; m < 2; ++m) squares += std::pow(f[k * mixtures + m] - mean, 2);
    const double variance = squares / (2 * static_cast<double>(points) - 1);
    for (std::size_t i = 0; i < inputs; ++i) {
      double alone = 0, together = 0;
      for (std::size_t k = 0; k < points; ++k) {
        const double a = f[k * mixtures] - mean, b = f[k * mixtures + 1] - mean, ab = f[k * mixtures + 2 + i] - mean;
        alone += b * (ab - a);
        together += (a - ab) * (a - ab) / 2;
      }
      const double scale = variance > 0 ? static_cast<double>(points) * variance : 1;
      first[i].push_back(alone / scale);
      total[i].push_back(together / scale);
    }
  }
  std::vector<SobolIndices> all;
  for (std::size_t i = 0; i < inputs; ++i)
    all.push_back(
        {mean_of(first[i]), mean_of(total[i]), student_interval(first[i], level), student_interval(total[i], level)});
  return all;
}

}  // namespace armature::campaign
