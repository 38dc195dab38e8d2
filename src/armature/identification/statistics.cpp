#include "armature/identification/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace armature::identification {

namespace {

/// Regularized incomplete beta function by its continued fraction [Abramowitz1964, 26.5.8].
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  const auto safe = [](double v) { return std::abs(v) < 1e-300 ? 1e-300 : v; };
  double f = 1, c = 1, d = 0;
  for (int i = 0; i < 300; ++i) {
    const double m = i / 2;
    double numerator = 1;
    if (i > 0)
      numerator = i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                             : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + numerator * d);
    c = safe(1 + numerator / c);
    f *= c * d;
    if (i > 0 && std::abs(1 - c * d) < 1e-15) break;
  }
  return front * (f - 1);
}

double student_cdf(double t, double freedom) {
  const double tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
  return t > 0 ? 1 - tail : tail;
}

}  // namespace

double student_quantile(double p, double freedom) {
  double low = -1e3, high = 1e3;
  for (int i = 0; i < 200 && high - low > 1e-12 * (1 + std::abs(low)); ++i) {
    const double middle = (low + high) / 2;
    (student_cdf(middle, freedom) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double chi_square_tail(double x, double freedom) {
  const double a = freedom / 2, h = x / 2;
  if (h <= 0) return 1;
  if (h < a + 1) {  // series of the lower part
    double term = 1 / a, sum = term;
    for (int k = 1; k < 1000 && term > 1e-17 * sum; ++k) sum += term *= h / (a + k);
    return 1 - std::exp(-h + a * std::log(h) - std::lgamma(a)) * sum;
  }
  double b = h + 1 - a, c = 1e300, d = 1 / b, f = d;  // continued fraction of the upper part
  for (int k = 1; k < 1000; ++k) {
    const double n = -k * (k - a);
    b += 2;
    d = 1 / (n * d + b);
    c = b + n / c;
    f *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return std::exp(-h + a * std::log(h) - std::lgamma(a)) * f;
}

Whiteness whiteness(std::span<const double> series, int lags) {
  double mean = 0, square = 0, count = 0;
  for (const double x : series)
    if (!std::isnan(x)) {
      mean += x;
      ++count;
    }
  Whiteness w;
  if (count < 3 * lags) return w;
  mean /= count;
  for (const double x : series)
    if (!std::isnan(x)) square += (x - mean) * (x - mean);
  if (!(square > 0)) return w;
  const auto correlation = [&](std::size_t lag, double& pairs) {
    double sum = 0, now = 0,
           before = 0;  // squares over the pairs alone: with gaps they differ from those of the series
    pairs = 0;
    for (std::size_t i = lag; i < series.size(); ++i)
      if (!std::isnan(series[i]) && !std::isnan(series[i - lag])) {
        const double a = series[i] - mean, b = series[i - lag] - mean;
        sum += a * b;
        now += a * a;
        before += b * b;
        ++pairs;
      }
    return now > 0 && before > 0 ? sum / std::sqrt(now * before) : 0;
  };
  double Q = 0;
  bool positive = true;
  for (int k = 1; k <= std::max(lags, 200) && (k <= lags || positive); ++k) {
    double pairs = 0;
    const double r = correlation(static_cast<std::size_t>(k), pairs);
    if (k == 1) w.lag_one = r;
    if (k <= lags && pairs > 0) Q += r * r * pairs;
    positive = positive && r > 0;
    if (positive) w.correlated_over += 2 * r;
  }
  w.chance = chi_square_tail(Q, lags);
  return w;
}

double rms(std::span<const double> series) {
  double square = 0, count = 0;
  for (const double x : series)
    if (!std::isnan(x)) {
      square += x * x;
      ++count;
    }
  return count > 0 ? std::sqrt(square / count) : 0;
}

}  // namespace armature::identification
