#include "armature/record/filter.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::record {

//  Analogue poles w exp(j(π/2 + π(2k+1)/(2n))), w = tan(π fc/fs); a pair becomes s² + 2 z w s + w², z = cos of its angle to
//  the negative axis; s = (1 - 1/Z)/(1 + 1/Z).
std::vector<Section> butterworth(int order, double cutoff, double rate) {
  if (order < 1 || order > 12) throw Error(fmt::format("a filter of order {}", order), "orders 1 to 12 are supported");
  if (!(cutoff > 0) || !(cutoff < rate / 2))
    throw Error(fmt::format("a cut-off of {:.6g} Hz at a sampling rate of {:.6g} Hz", cutoff, rate),
                "it lies between zero and half the sampling rate");
  const double w = std::tan(pi * cutoff / rate);
  std::vector<Section> sections;
  for (int k = 0; k < order / 2; ++k) {
    const double zeta = std::sin(pi * (2 * k + 1) / (2 * order));
    const double a0 = 1 + 2 * zeta * w + w * w;
    sections.push_back({w * w / a0, 2 * w * w / a0, w * w / a0, 2 * (w * w - 1) / a0, (1 - 2 * zeta * w + w * w) / a0});
  }
  if (order % 2 == 1) sections.push_back({w / (1 + w), w / (1 + w), 0, (w - 1) / (1 + w), 0});
  return sections;
}

namespace {

/// Transposed direct form II, in place, from the steady state of a constant input `start`.
void run(const Section& s, std::vector<double>& x, double start) {
  const auto [b0, b1, b2, a1, a2] = s;
  const double gain = (b0 + b1 + b2) / (1 + a1 + a2);
  double z2 = (b2 - a2 * gain) * start, z1 = (b1 - a1 * gain) * start + z2;
  for (double& value : x) {
    const double in = value, out = b0 * in + z1;
    z1 = b1 * in - a1 * out + z2;
    z2 = b2 * in - a2 * out;
    value = out;
  }
}

}  // namespace

std::vector<double> filter(const std::vector<Section>& sections, std::span<const double> x) {
  std::vector<double> y(x.begin(), x.end());
  double start = y.empty() ? 0 : y.front();
  for (const Section& s : sections) {
    run(s, y, start);
    start *= (s[0] + s[1] + s[2]) / (1 + s[3] + s[4]);
  }
  return y;
}

std::size_t settling_length(const std::vector<Section>& sections, double share) {
  double slowest = 0;  // largest pole radius
  for (const auto& [b0, b1, b2, a1, a2] : sections) {
    const std::complex<double> root = std::sqrt(std::complex<double>(a1 * a1 / 4 - a2));
    slowest = std::max({slowest, std::abs(-a1 / 2 + root), std::abs(-a1 / 2 - root)});
  }
  if (slowest <= 0) return 2;
  return static_cast<std::size_t>(std::ceil(std::log(share) / std::log(slowest))) + 2 * sections.size();
}

std::vector<double> filter_zero_phase(const std::vector<Section>& sections, std::span<const double> x) {
  if (x.size() < 2) return {x.begin(), x.end()};
  const std::size_t pad = std::min(x.size() - 1, settling_length(sections));
  std::vector<double> y;
  y.reserve(x.size() + 2 * pad);
  for (std::size_t i = pad; i > 0; --i) y.push_back(2 * x.front() - x[i]);
  y.insert(y.end(), x.begin(), x.end());
  for (std::size_t i = 1; i <= pad; ++i) y.push_back(2 * x.back() - x[x.size() - 1 - i]);
  for (int pass = 0; pass < 2; ++pass) {
    y = filter(sections, y);
    std::reverse(y.begin(), y.end());
  }
  return {y.begin() + static_cast<std::ptrdiff_t>(pad), y.end() - static_cast<std::ptrdiff_t>(pad)};
}

std::vector<double> central_difference(std::span<const double> x, double step) {
  const std::size_t n = x.size();
  std::vector<double> d(n, 0.0);
  if (n < 3) {
    if (n == 2) d[0] = d[1] = (x[1] - x[0]) / step;
    return d;
  }
  for (std::size_t i = 1; i + 1 < n; ++i) d[i] = (x[i + 1] - x[i - 1]) / (2 * step);
  d[0] = (-3 * x[0] + 4 * x[1] - x[2]) / (2 * step);
  d[n - 1] = (3 * x[n - 1] - 4 * x[n - 2] + x[n - 3]) / (2 * step);
  return d;
}

std::vector<double> resample(std::span<const double> from, std::span<const double> x, std::span<const double> to) {
  const std::size_t n = from.size();
  if (n < 2 || x.size() != n)
    throw Error("too few samples to resample", "two or more samples with their times are needed");
  const auto slope = [&](std::size_t i) {  // of the parabola through the neighbours
    if (i == 0) return (x[1] - x[0]) / (from[1] - from[0]);
    if (i + 1 == n) return (x[n - 1] - x[n - 2]) / (from[n - 1] - from[n - 2]);
    const double a = from[i] - from[i - 1], b = from[i + 1] - from[i];
    return ((x[i] - x[i - 1]) / a * b + (x[i + 1] - x[i]) / b * a) / (a + b);
  };
  std::vector<double> y;
  y.reserve(to.size());
  for (const double t : to) {
    if (!(t >= from.front() && t <= from.back()))
      throw Error(fmt::format("resampling at {:.9g} s, outside the samples from {:.9g} to {:.9g} s", t, from.front(),
                              from.back()),
                  "choose times inside the log");
    const auto after = std::upper_bound(from.begin(), from.end() - 1, t);
    const auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - from.begin(), 1)) - 1;
    const double h = from[i + 1] - from[i], s = (t - from[i]) / h;
    const double m0 = slope(i) * h, m1 = slope(i + 1) * h, rise = x[i + 1] - x[i];
    y.push_back(x[i] + s * (m0 + s * ((3 * rise - 2 * m0 - m1) + s * (m0 + m1 - 2 * rise))));  // Hermite
  }
  return y;
}

std::vector<double> decimate(std::span<const double> x, int factor) {
  if (factor < 1) throw Error(fmt::format("decimation by {}", factor), "the factor is a positive whole number");
  if (factor == 1) return {x.begin(), x.end()};
  const std::vector<double> smooth = filter_zero_phase(butterworth(8, 0.8 * 0.5 / factor, 1.0), x);
  std::vector<double> y;
  for (std::size_t i = 0; i < smooth.size(); i += static_cast<std::size_t>(factor)) y.push_back(smooth[i]);
  return y;
}

double magnitude(const std::vector<Section>& sections, double frequency, double rate) {
  const std::complex<double> z = std::polar(1.0, -2 * pi * frequency / rate);
  double product = 1;
  for (const auto& [b0, b1, b2, a1, a2] : sections)
    product *= std::abs((b0 + z * (b1 + z * b2)) / (1.0 + z * (a1 + z * a2)));
  return product;
}

}  // namespace armature::record
