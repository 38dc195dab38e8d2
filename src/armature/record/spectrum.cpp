#include "armature/record/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/FFT>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::record {

namespace {

std::vector<double> window_of(const WelchSettings& settings) {
  std::vector<double> window(settings.segment, 1.0);
  if (settings.hann)
    for (std::size_t i = 0; i < window.size(); ++i)
      window[i] = 0.5 - 0.5 * std::cos(2 * pi * static_cast<double>(i) / static_cast<double>(window.size()));
  return window;
}

class Transformer {
 public:
  explicit Transformer(const WelchSettings& settings)
      : window_(window_of(settings)), remove_mean_(settings.remove_mean), block_(settings.segment) {
    fft_.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  }
  const std::vector<double>& window() const { return window_; }

  void operator()(std::span<const double> x, std::vector<std::complex<double>>& X) {
    double mean = 0;
    if (remove_mean_) {
      for (const double value : x) mean += value;
      mean /= static_cast<double>(x.size());
    }
    for (std::size_t i = 0; i < x.size(); ++i) block_[i] = (x[i] - mean) * window_[i];
    fft_.fwd(X, block_);
  }

 private:
  Eigen::FFT<double> fft_;
  std::vector<double> window_;
  bool remove_mean_;
  std::vector<double> block_;
};

}  // namespace

CrossSpectrum cross_spectrum(std::span<const double> x, std::span<const double> y, const WelchSettings& settings) {
  const std::size_t n = settings.segment;
  if (x.size() != y.size()) throw Error("the two signals differ in length", "cut them to the same samples");
  if (n < 4 || x.size() < n)
    throw Error(fmt::format("{} samples are too few for segments of {}", x.size(), n), "choose a shorter segment");
  if (!(settings.overlap >= 0 && settings.overlap < 1) || !(settings.rate > 0))
    throw Error("the overlap is a share from 0 to below 1, the rate positive", "0.5 is the usual overlap");
  const auto step =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(static_cast<double>(n) * (1 - settings.overlap))));

  Transformer transform(settings);
  CrossSpectrum result;
  const std::size_t lines = n / 2 + 1;
  result.xx.assign(lines, 0);
  result.yy.assign(lines, 0);
  result.xy.assign(lines, 0);
  std::vector<std::complex<double>> X, Y;
  for (std::size_t start = 0; start + n <= x.size(); start += step, ++result.segments) {
    transform(x.subspan(start, n), X);
    transform(y.subspan(start, n), Y);
    for (std::size_t k = 0; k < lines; ++k) {
      result.xx[k] += std::norm(X[k]);
      result.yy[k] += std::norm(Y[k]);
      result.xy[k] += std::conj(X[k]) * Y[k];
    }
  }
  double power = 0;  // of the window
  for (const double w : transform.window()) power += w * w;
  for (std::size_t k = 0; k < lines; ++k) {
    const bool once = k == 0 || (n % 2 == 0 && k == n / 2);  // the only lines without a twin at negative frequency
    const double scale = (once ? 1 : 2) / (settings.rate * power * static_cast<double>(result.segments));
    result.xx[k] *= scale;
    result.yy[k] *= scale;
    result.xy[k] *= scale;
    result.frequency.push_back(settings.rate * static_cast<double>(k) / static_cast<double>(n));
  }
  return result;
}

PowerSpectrum welch(std::span<const double> x, const WelchSettings& settings) {
  CrossSpectrum s = cross_spectrum(x, x, settings);
  return {std::move(s.frequency), std::move(s.xx)};
}

FrequencyResponse frequency_response(std::span<const double> x, std::span<const double> y,
                                     const WelchSettings& settings) {
  const CrossSpectrum s = cross_spectrum(x, y, settings);
  FrequencyResponse h{s.frequency, {}, {}, s.segments};
  constexpr double dust = 1e-24;  // of the strongest line: what rounding leaves where a signal has no line
  const double least = dust * *std::max_element(s.xx.begin(), s.xx.end());
  for (std::size_t k = 0; k < s.frequency.size(); ++k) {
    const bool silent = !(s.xx[k] > least);
    h.response.push_back(silent ? 0.0 : s.xy[k] / s.xx[k]);
    h.coherence.push_back(silent || !(s.yy[k] > 0) ? 0.0 : std::min(1.0, std::norm(s.xy[k]) / (s.xx[k] * s.yy[k])));
  }
  return h;
}

FrequencyResponse indirect_response(std::span<const double> r, std::span<const double> x, std::span<const double> y,
                                    const WelchSettings& settings) {
  FrequencyResponse to_y = frequency_response(r, y, settings);
  const FrequencyResponse to_x = frequency_response(r, x, settings);
  for (std::size_t k = 0; k < to_y.frequency.size(); ++k) {
    to_y.response[k] = std::abs(to_x.response[k]) > 0 ? to_y.response[k] / to_x.response[k] : 0.0;
    to_y.coherence[k] = std::min(to_y.coherence[k], to_x.coherence[k]);
  }
  return to_y;
}

}  // namespace armature::record
