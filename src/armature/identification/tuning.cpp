#include "armature/identification/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::identification {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double decibel(double x) { return 20 * std::log10(x); }

/// The margin that comes nearest to what is asked for, as a share of it.
double adequacy(const LoopMargins& m, const TuningSettings& s) {
  if (!m.stable) return 0;
  return std::min({m.gain / s.gain_margin, m.phase / s.phase_margin, s.sensitivity / std::max(m.sensitivity, 1e-9),
                   std::max(-m.rest, 0.0) / s.gain_margin});
}

/// The strongest peaks of |P| f² in all plants; near ones are one, as wide as they differ.
std::vector<FilterSettings> notches_at_peaks(const std::vector<PlantResponse>& plants, const TuningSettings& s) {
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
    if (!merged.empty() && p.low < 1.25 * merged.back().high) {
      merged.back().high = std::max(merged.back().high, p.high);
      merged.back().height = std::max(merged.back().height, p.height);
    } else
      merged.push_back(p);
  std::stable_sort(merged.begin(), merged.end(), [](const Peak& a, const Peak& b) { return a.height > b.height; });
  if (merged.size() > static_cast<std::size_t>(s.notches)) merged.resize(static_cast<std::size_t>(s.notches));
  std::vector<FilterSettings> notches;
  for (const Peak& p : merged) {
    const double spread = std::log(p.high / p.low) / 2;
    notches.push_back({.frequency = std::sqrt(p.low * p.high),
                       .damping = std::clamp(0.6 + 2 * spread, 0.6, 1.2),
                       .zero_damping = std::clamp(0.08 + spread, 0.05, 0.5)});
  }
  return notches;
}

/// PD (or PID) with notches whose loop about the first plants crosses 1 at `crossover`.
LoopController candidate(const std::vector<PlantResponse>& plants, const std::vector<FilterSettings>& notches,
                         double crossover, double lead, const TuningSettings& s) {
  LoopController c;
  c.tick = s.tick;
  c.speed = s.speed;
  c.filters = notches;
  if (const double corner = s.roll_off * crossover; corner > 0 && corner < 0.4 / s.tick)
    c.filters.push_back({.kind = FilterSettings::Kind::low_pass, .frequency = corner});
  c.kd = 1;
  c.kp = 2 * pi * crossover / lead;
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
  const bool differs = speed == SensorSettings::Speed::difference;
  std::complex<double> C = kp + kd * difference / tick * (differs ? 1.0 : 2.0 / (1.0 + back));
  if (ki != 0) C += ki * tick * back / difference;
  for (const FilterSettings& filter : filters) C *= SampledFilter(filter, tick).response(frequency);
  return C;
}

double LoopController::step_command() const {
  std::vector<SampledFilter> stages;
  for (const FilterSettings& filter : filters) stages.emplace_back(filter, tick);
  double largest = 0;
  constexpr int ticks = 1000;
  for (int k = 0; k < ticks; ++k) {
    double u = kp;
    for (SampledFilter& stage : stages) u = stage.update(u, true);
    largest = std::max(largest, std::abs(u));
  }
  return largest;
}

//  The unwrapped angle of 1 + L begins between -π and 0 (integrators) and must end near 0 when |L| is small.
LoopMargins loop_margins(const PlantResponse& plant, const LoopController& controller) {
  LoopMargins m;
  m.gain = m.gain_reduction = infinite;
  m.phase = pi;
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
    m.rest = decibel(std::abs(L));
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
  f.word("speed", speed, {"tachometer", "difference"}, "what kd acts on, as sensors.speed says it");
  f.number("roll_off", roll_off, dimension::none, "low-pass at so many times the crossover; 0: none",
           Range::not_negative);
  f.frequency("from", from, "lowest crossover tried", Range::positive);
  f.frequency("to", to, "highest crossover tried", Range::positive);
  f.number("step", step, dimension::none, "an error of this size, in the unit of the position, may ask for `limit`",
           Range::not_negative);
  f.number("limit", limit, dimension::none, "largest command at that error, in its unit", Range::not_negative);
}

namespace {

/// A controller with its margins in every posture: the least share of what is asked for, and the least bandwidth.
struct TriedTuning {
  Tuning tuning;
  double least = infinite, bandwidth = infinite;
};
TriedTuning tried(const std::vector<PlantResponse>& plants, const std::vector<FilterSettings>& notches,
                  double crossover, double lead, const TuningSettings& s) {
  TriedTuning result;
  Tuning& t = result.tuning;
  t.crossover = crossover;
  t.controller = candidate(plants, notches, crossover, lead, s);
  for (std::size_t k = 0; k < plants.size(); ++k) {
    t.margins.push_back(loop_margins(plants[k], t.controller));
    const double share = adequacy(t.margins.back(), s);
    if (share < result.least) {
      result.least = share;
      t.worst = k;
    }
    result.bandwidth = std::min(result.bandwidth, t.margins.back().bandwidth);
  }
  return result;
}

}  // namespace

Tuning tune(const std::vector<PlantResponse>& plants, const TuningSettings& s) {
  if (plants.empty()) throw Error("there is no frequency response to tune for", "give one a posture");
  for (const PlantResponse& plant : plants)
    if (plant.frequency.size() < 20 || plant.frequency.size() != plant.response.size())
      throw Error(fmt::format("the response '{}' has {} lines", plant.posture, plant.frequency.size()),
                  "at least 20 are needed");
  if ((s.step > 0) != (s.limit > 0))
    throw Error("a step of the error and a limit of the command belong together", "give both, or neither");
  const std::vector<FilterSettings> all = notches_at_peaks(plants, s);
  constexpr double grows = 1.05;         // from one crossover that is tried to the next
  constexpr double worth_a_notch = 1.1;  // bandwidth: for less, a loop had better not depend on where a resonance lies
  std::size_t best_count = 0;
  Tuning best;
  double best_bandwidth = 0, at_bound = 0, too_much = 0, nearest = -1;
  std::string obstacle;
  for (std::size_t count = 0; count <= all.size(); ++count) {
    const std::vector<FilterSettings> notches(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    for (const double lead : {2.0, 3.0, 4.0, 6.0})
      for (double crossover = s.from; crossover <= s.to; crossover *= grows) {
        const auto [t, least, bandwidth] = tried(plants, notches, crossover, lead, s);
        const bool within = s.limit == 0 || t.controller.step_command() * s.step <= s.limit;
        if (least >= 1 && !within) too_much = std::max(too_much, bandwidth);
        if (least >= 1 && within && crossover * grows > s.to) at_bound = std::max(at_bound, bandwidth);
        const double better = count > best_count ? worth_a_notch : 1.02;
        if (least >= 1 && within && bandwidth > better * best_bandwidth) {
          best_bandwidth = bandwidth;
          best = t;
          best_count = count;
        }
        if (least > nearest) {
          const LoopMargins& m = t.margins[t.worst];
          nearest = least;
          obstacle = m.stable ? fmt::format("'{}': {:.1f} dB, {:.0f} deg, sensitivity {:.1f} dB at {:.3g} Hz",
                                            plants[t.worst].posture, m.gain, m.phase / deg, m.sensitivity, m.bandwidth)
                              : fmt::format("'{}' is unstable", plants[t.worst].posture);
        }
      }
  }
  best.at_bound = at_bound > 0 && 1.02 * at_bound >= best_bandwidth;
  best.at_limit = too_much > 1.02 * best_bandwidth;
  if (best_bandwidth == 0 && too_much > 0)
    throw NoController(
        fmt::format("every controller that keeps the margins asks for more than {:g} at an error of {:g}", s.limit,
                    s.step),
        "a smaller step, a higher limit, or lower crossovers");
  if (best_bandwidth == 0)
    throw NoController(
        fmt::format("no controller keeps the margins in every posture; the nearest fails in {}", obstacle),
        "ask for smaller margins, allow more notches or lower crossovers; are there lines well beyond the crossover?");
  return best;
}

}  // namespace armature::identification
