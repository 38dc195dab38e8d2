#include "armature/identification/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double decibel(double x) { return 20 * std::log10(x); }

//  s = w0/tan(w0 T/2) (1 - z⁻¹)/(1 + z⁻¹): the notch stays at its frequency
std::complex<double> notch_response(const Notch& n, double f, double tick) {
  const double w = 2 * pi * n.frequency;
  const std::complex<double> s(0, w * std::tan(pi * f * tick) / std::tan(w * tick / 2));
  return (s * s + 2 * n.zero_damping * w * s + w * w) / (s * s + 2 * n.pole_damping * w * s + w * w);
}

/// The margin that comes nearest to what is asked for, as a share of it.
double adequacy(const LoopMargins& m, const TuningSettings& s) {
  if (!m.stable) return 0;
  return std::min({m.gain / s.gain_margin, m.phase / s.phase_margin, s.sensitivity / std::max(m.sensitivity, 1e-9)});
}

/// The strongest peaks of |P| f² in all plants; near ones are one, as wide as they differ.
std::vector<Notch> peaks(const std::vector<PlantResponse>& plants, const TuningSettings& s) {
  struct Peak {
    double low, high, height;
  };
  std::vector<Peak> found;
  for (const PlantResponse& plant : plants) {
    FrequencyResponse frf{plant.frequency, plant.response, std::vector<double>(plant.frequency.size(), 0.999999), 1000};
    for (const Resonance& m :
         find_resonances(frf, {.from = 3, .to = 0.4 / s.tick, .prominence = 3, .antiresonances = false}))
      found.push_back({m.frequency, m.frequency, m.prominence});
  }
  std::sort(found.begin(), found.end(), [](const Peak& a, const Peak& b) { return a.low < b.low; });
  std::vector<Peak> merged;
  for (const Peak& p : found)
    if (!merged.empty() && p.low < 1.25 * merged.back().high)
      merged.back().high = std::max(merged.back().high, p.high),
      merged.back().height = std::max(merged.back().height, p.height);
    else
      merged.push_back(p);
  std::stable_sort(merged.begin(), merged.end(), [](const Peak& a, const Peak& b) { return a.height > b.height; });
  if (merged.size() > static_cast<std::size_t>(s.notches)) merged.resize(static_cast<std::size_t>(s.notches));
  std::vector<Notch> notches;
  for (const Peak& p : merged) {
    const double spread = std::log(p.high / p.low) / 2;
    notches.push_back(
        {std::sqrt(p.low * p.high), std::clamp(0.08 + spread, 0.05, 0.5), std::clamp(0.6 + 2 * spread, 0.6, 1.2)});
  }
  return notches;
}

/// PD (or PID) with notches whose loop about the first plants crosses 1 at `crossover`.
LoopController candidate(const std::vector<PlantResponse>& plants, const std::vector<Notch>& notches, double crossover,
                         double lead, const TuningSettings& s) {
  LoopController c;
  c.tick = s.tick, c.notches = notches;
  c.kd = 1, c.kp = 2 * pi * crossover / lead;
  if (s.integral) c.ki = c.kp * 2 * pi * crossover / (3 * lead);
  double largest = 0;  // of all plants, so that none crosses later
  for (const PlantResponse& plant : plants) {
    const auto k = static_cast<std::size_t>(
        std::lower_bound(plant.frequency.begin(), plant.frequency.end(), crossover) - plant.frequency.begin());
    if (k < plant.frequency.size())
      largest = std::max(largest, std::abs(plant.response[k] * c.response(plant.frequency[k])));
  }
  for (double* gain : {&c.kp, &c.ki, &c.kd}) *gain /= largest;
  return c;
}

}  // namespace

std::complex<double> LoopController::response(double frequency) const {
  const std::complex<double> back = std::polar(1.0, -2 * pi * frequency * tick), difference = 1.0 - back;
  std::complex<double> C = kp + kd * difference / tick;
  if (ki != 0) C += ki * tick / difference;
  for (const Notch& notch : notches) C *= notch_response(notch, frequency, tick);
  return C;
}

//  The unwrapped angle of 1 + L begins between -π and 0 (integrators) and must end near 0 when |L| is small.
LoopMargins loop_margins(const PlantResponse& plant, const LoopController& controller) {
  LoopMargins m;
  m.gain = m.gain_reduction = infinite, m.phase = pi;
  std::complex<double> before;
  double turned = 0, largest = 0, start = 0;
  for (std::size_t k = 0; k < plant.frequency.size(); ++k) {
    const std::complex<double> L = plant.response[k] * controller.response(plant.frequency[k]);
    if (!std::isfinite(L.real()) || !std::isfinite(L.imag())) continue;
    largest = std::max(largest, 1 / std::abs(1.0 + L));
    if (before != std::complex<double>()) {
      turned += std::arg((1.0 + L) / (1.0 + before));
      const double a = std::abs(before), b = std::abs(L);
      if ((a >= 1) != (b >= 1)) {
        const double share = std::log(a) / (std::log(a) - std::log(b));
        const double angle = std::arg(before) + share * std::arg(L / before);
        m.phase = std::min(m.phase, std::abs(std::remainder(angle - pi, 2 * pi)));
        if (m.bandwidth == 0 && b < 1)
          m.bandwidth = plant.frequency[k - 1] * std::pow(plant.frequency[k] / plant.frequency[k - 1], share);
      }
      if (before.real() < 0 && L.real() < 0 && (before.imag() >= 0) != (L.imag() >= 0)) {  // crosses -180°
        const double share = before.imag() / (before.imag() - L.imag());
        const double size = std::abs(before.real() + share * (L.real() - before.real()));
        (size < 1 ? m.gain : m.gain_reduction) =
            std::min(size < 1 ? m.gain : m.gain_reduction, std::abs(decibel(size)));
      }
    } else {
      start = std::arg(1.0 + L);
      if (start > pi / 2) start -= 2 * pi;
    }
    before = L;
  }
  m.sensitivity = decibel(largest);
  m.stable = std::abs(start + turned) < pi / 2 && m.bandwidth > 0;
  return m;
}

void TuningSettings::fields(Fields& f) {
  f.flag("integral", integral, "tune a PID instead of a PD controller");
  f.integer("notches", notches, "largest number of notches, at the resonances that stand out most",
            Range::not_negative);
  f.number("gain_margin", gain_margin, dimension::none, "least gain margin in dB", Range::positive);
  f.angle("phase_margin", phase_margin, "least phase margin", Range::positive);
  f.number("sensitivity", sensitivity, dimension::none, "largest |1/(1 + L)| in dB", Range::positive);
  f.number("tick", tick, dimension::time, "tick of the controller", Range::positive);
  f.frequency("from", from, "lowest crossover tried", Range::positive);
  f.frequency("to", to, "highest crossover tried", Range::positive);
}

Tuning tune(const std::vector<PlantResponse>& plants, const TuningSettings& s) {
  if (plants.empty()) throw Error("there is no frequency response to tune for", "give one a posture");
  for (const PlantResponse& plant : plants)
    if (plant.frequency.size() < 20 || plant.frequency.size() != plant.response.size())
      throw Error(fmt::format("the response '{}' has {} lines", plant.posture, plant.frequency.size()),
                  "at least 20 are needed");
  const std::vector<Notch> all = peaks(plants, s);
  Tuning best;
  double best_bandwidth = 0, nearest = -1;
  std::string obstacle;
  for (std::size_t count = 0; count <= all.size(); ++count) {
    const std::vector<Notch> notches(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    for (const double lead : {2.0, 3.0, 4.0, 6.0})
      for (double crossover = s.from; crossover <= s.to; crossover *= 1.05) {
        Tuning t;
        t.controller = candidate(plants, notches, crossover, lead, s);
        double least = infinite, bandwidth = infinite;
        for (std::size_t k = 0; k < plants.size(); ++k) {
          t.margins.push_back(loop_margins(plants[k], t.controller));
          const double share = adequacy(t.margins.back(), s);
          if (share < least) least = share, t.worst = k;
          bandwidth = std::min(bandwidth, t.margins.back().bandwidth);
        }
        if (least >= 1 && bandwidth > 1.02 * best_bandwidth) best_bandwidth = bandwidth, best = t;
        if (least > nearest) {
          const LoopMargins& m = t.margins[t.worst];
          nearest = least;
          obstacle = m.stable ? fmt::format("'{}': {:.1f} dB, {:.0f} deg, sensitivity {:.1f} dB at {:.3g} Hz",
                                            plants[t.worst].posture, m.gain, m.phase / deg, m.sensitivity, m.bandwidth)
                              : fmt::format("'{}' is unstable", plants[t.worst].posture);
        }
      }
  }
  if (best_bandwidth == 0)
    throw NoController(
        fmt::format("no controller keeps the margins in every posture; the nearest fails in {}", obstacle),
        "ask for smaller margins, allow more notches or lower crossovers");
  return best;
}

}  // namespace armature
