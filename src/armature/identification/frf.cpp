#include "armature/identification/frf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/record/sampling.hpp"

namespace armature::identification {

namespace {

std::vector<double> checked(const Log& log, const std::string& name, std::size_t first, std::size_t count) {
  const std::span<const double> values = std::span(log.channel(name).values).subspan(first, count);
  const auto missing = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  if (missing != values.end())
    throw Error(fmt::format("channel '{}' has no value at {:.6g} s", name,
                            log.time[first + static_cast<std::size_t>(missing - values.begin())]),
                "a spectrum needs every sample: cut the log with --from and --to, or fill the gap");
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (!(*high > *low)) throw Error(fmt::format("channel '{}' never changes", name), "is it the right channel?");
  return {values.begin(), values.end()};
}

/// A ramp in every segment would pass for an answer to what repeats with it.
void check_repeats(std::span<const double> y, std::size_t segment, const FrfSettings& s) {
  constexpr double tolerated = 0.1;  // of what it does within a segment
  double swing = 0, drift = 0, before = 0;
  const std::size_t segments = y.size() / segment;
  for (std::size_t k = 0; k < segments; ++k) {
    const auto one = y.subspan(k * segment, segment);
    const auto [low, high] = std::minmax_element(one.begin(), one.end());
    swing = std::max(swing, *high - *low);
    const double mean = std::accumulate(one.begin(), one.end(), 0.0) / static_cast<double>(segment);
    if (k > 0) drift = std::max(drift, std::abs(mean - before));
    before = mean;
  }
  if (drift > tolerated * swing)
    throw Error(fmt::format("channel '{}' drifts by {:.3g} in a segment of {:g} s: it does not repeat with it",
                            s.output, drift, s.segment),
                s.about.empty() ? "--about q1_ref takes the motion of a reference off; or begin later, or leave "
                                  "--periodic out"
                                : "begin later, when it follows its reference; or leave --periodic out");
}

}  // namespace

void FrfSettings::fields(Fields& f) {
  f.text("input", input, "channel that drives the machine", required);
  f.text("output", output, "channel that responds", required);
  f.text("about", about, "channel that is taken off the output, such as the reference of a joint that moves meanwhile");
  f.text("excitation", excitation, "signal from outside the loop, for the indirect estimate");
  f.number("segment", segment, dimension::time, "length of the averaged segments; lines are 1/segment apart",
           Range::positive);
  f.number("overlap", overlap, dimension::none, "overlap of the segments", Range::not_negative);
  f.flag("periodic", periodic, "the excitation repeats with the segment: no window, no overlap");
  f.number("begin", begin, dimension::time, "use the log from this time on");
  f.number("end", end, dimension::time, "use the log up to this time; 0: all of it");
  f.frequency("from", from, "lowest frequency evaluated (default: the second line)", Range::positive);
  f.frequency("to", to, "highest frequency evaluated (default: 0.8 of the Nyquist frequency)", Range::positive);
  f.number("coherence", threshold, dimension::none, "least coherence of a reliable line", Range::positive);
}

std::pair<double, double> evaluated_band(const FrfEstimate& frf, const FrfSettings& s) {
  const double from = std::isnan(s.from) ? 2 * frf.direct.frequency[1] : s.from;
  const double to = std::isnan(s.to) ? 0.8 * frf.direct.frequency.back() : s.to;
  if (!(from > 0 && to > from))
    throw Error("the frequencies do not go up from above zero", "for example --from 2Hz --to 200Hz");
  return {from, to};
}

FrfSignals frf_signals(const Log& log, const FrfSettings& s) {
  const double from = s.begin, to = s.end > 0 ? s.end : std::numeric_limits<double>::infinity();
  const auto first =
      static_cast<std::size_t>(std::lower_bound(log.time.begin(), log.time.end(), from) - log.time.begin());
  const auto last = static_cast<std::size_t>(std::upper_bound(log.time.begin(), log.time.end(), to) - log.time.begin());
  if (last <= first + 2) throw Error("the log has no samples in that part", "check the times");
  FrfSignals signals;
  signals.step = regular_step(std::span(log.time).subspan(first, last - first));
  signals.input = checked(log, s.input, first, last - first);
  signals.output = checked(log, s.output, first, last - first);
  if (!s.about.empty()) {
    const std::vector<double>& motion = log.channel(s.about).values;
    for (std::size_t k = 0; k < signals.output.size(); ++k) signals.output[k] -= motion[first + k];
  }
  if (!s.excitation.empty()) signals.excitation = checked(log, s.excitation, first, last - first);
  return signals;
}

FrfEstimate estimate_frf(const Log& log, const FrfSettings& s) {
  if (!(s.segment > 0)) throw Error(fmt::format("segments of {} s", s.segment), "they are positive");
  const FrfSignals signals = frf_signals(log, s);
  const std::vector<double>&x = signals.input, &y = signals.output, &r = signals.excitation;
  WelchSettings welch{.rate = 1 / signals.step,
                      .segment = static_cast<std::size_t>(std::lround(s.segment / signals.step)),
                      .overlap = s.periodic ? 0 : s.overlap,
                      .hann = !s.periodic};
  if (welch.segment > x.size())
    throw Error(fmt::format("the log lasts {:.6g} s, less than one segment of {:g} s",
                            static_cast<double>(x.size()) * signals.step, s.segment),
                "shorter segments, or a longer log");
  if (s.periodic) check_repeats(y, welch.segment, s);
  FrfEstimate estimate;
  estimate.threshold = s.threshold;
  estimate.direct = frequency_response(x, y, welch);
  if (!r.empty()) {
    estimate.indirect = indirect_response(r, x, y, welch);
    estimate.sensitivity = frequency_response(r, x, welch);
  }
  return estimate;
}

double reliable_share(const FrequencyResponse& frf, double threshold, double from, double to) {
  double lines = 0, good = 0;
  for (std::size_t k = 0; k < frf.frequency.size(); ++k)
    if (frf.frequency[k] >= from && frf.frequency[k] <= to) {
      ++lines;
      good += frf.coherence[k] >= threshold;
    }
  return lines > 0 ? good / lines : 0;
}

FrfTrend frf_trend(const FrequencyResponse& frf, double threshold, double from, double to) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, phase = 0;
  for (std::size_t k = 0; k < frf.frequency.size(); ++k) {
    if (frf.frequency[k] < from || frf.frequency[k] > to || frf.coherence[k] < threshold) continue;
    const double u = std::log(frf.frequency[k]), v = std::log(std::abs(frf.response[k]));
    ++n;
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
    const double angle = std::arg(frf.response[k]);
    phase += angle > pi / 2 ? angle - 2 * pi : angle;
  }
  return {(n * xy - x * y) / (n * xx - x * x), phase / n};
}

std::vector<std::complex<double>> plant_from_sensitivity(const std::vector<std::complex<double>>& S,
                                                         const std::vector<std::complex<double>>& C) {
  if (S.size() != C.size()) throw Error("sensitivity and controller have different lines", "use the same frequencies");
  std::vector<std::complex<double>> P(S.size());
  for (std::size_t k = 0; k < S.size(); ++k) P[k] = (1.0 - S[k]) / (C[k] * S[k]);
  return P;
}

std::vector<double> relative_deviation(const FrequencyResponse& frf) {
  std::vector<double> deviation;
  const double freedom = frf.segments > 1 ? static_cast<double>(frf.segments - 1) : 1;  // the response itself took one
  for (const double coherence : frf.coherence)
    deviation.push_back(coherence > 0 ? std::sqrt((1 - coherence) / (2 * freedom * coherence))
                                      : std::numeric_limits<double>::infinity());
  return deviation;
}

}  // namespace armature::identification
