#include "armature/trajectory/signal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"

namespace armature::trajectory {

namespace {

constexpr double hair = 1e-6;       // of a tick: what counts as on it
constexpr double most_lines = 2e4;  // of a multisine

bool is_whole(double x) { return std::abs(x - std::round(x)) <= hair; }

void check_frequency(const char* what, double f, double tick) {
  if (!(f > 0)) throw Error(fmt::format("the signal has no '{}'", what), "a frequency above zero, for example 5 Hz");
  if (!(f < 0.5 / tick))
    throw Error(fmt::format("the signal's '{}' is {:g} Hz", what, f),
                fmt::format("it must be below the Nyquist frequency of the tick, {:g} Hz: a lower frequency, or a "
                            "shorter run.tick",
                            0.5 / tick));
}

void check_table(const std::vector<double>& times, const std::vector<double>& values) {
  if (times.empty() || times.size() != values.size())
    throw Error("the table of the signal is empty", "one row per time");
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]) || (i > 0 && !(times[i] > times[i - 1])))
      throw Error(
          fmt::format("row {} of the table of the signal is not later than the one before, or not finite", i + 1),
          "times that increase, and numbers");
}

/// A setting that another kind would read is a mistake, not a wish to be passed over.
void check_belonging(const SignalSettings& s, bool sweeps) {
  using Kind = SignalSettings::Kind;
  if (s.kind != Kind::sine && (s.frequency != 0 || s.phase != 0))
    throw Error("the signal has a frequency or a phase without being a sine",
                "a chirp and a multisine go from the frequency `from` to the frequency `to`");
  if (!sweeps && (s.from != 0 || s.to != 0))
    throw Error("the signal goes from one frequency to another without being a chirp or a multisine",
                "kind: chirp or kind: multisine; `begin` and `end` are its times");
  if (s.kind != Kind::multisine && s.tilt != 0)
    throw Error("the signal has a tilt without being a multisine", "leave it out");
  if (!sweeps && s.kind != Kind::table && s.period > 0)
    throw Error("the signal has a period without being a chirp, a multisine or a table",
                "leave it out; a sine has a frequency");
}

}  // namespace

TimeSignal::TimeSignal(const SignalSettings& settings, double tick, std::uint64_t seed, std::vector<double> times,
                       std::vector<double> values)
    : s_(settings), tick_(tick), times_(std::move(times)), values_(std::move(values)) {
  using Kind = SignalSettings::Kind;
  if (s_.end != 0 && !(s_.end > s_.begin))
    throw Error(fmt::format("the signal acts from {:g} s to {:g} s", s_.begin, s_.end), "it must end after it begins");
  const bool sweeps = s_.kind == Kind::chirp || s_.kind == Kind::multisine;
  if (sweeps && !(s_.period > 0))
    throw Error("a chirp or a multisine needs a period",
                "for example period: 4 s; the lines of a multisine are 1/period apart");
  check_belonging(s_, sweeps);
  if (s_.period > 0 && !is_whole(s_.period / tick))
    throw Error(fmt::format("the period of {:g} s is {:.6g} ticks", s_.period, s_.period / tick),
                fmt::format("a whole number of ticks of {:g} s, so that the samples repeat", tick));
  if (s_.period > 0)
    s_.begin = tick * std::ceil(s_.begin / tick - hair);  // with a tick, so that each period has the same
  if ((s_.kind == Kind::table) != !times_.empty())
    throw Error("the signal has a table without following it, or follows none",
                "kind: table and table: FILE.csv belong together");
  switch (s_.kind) {
    case Kind::sine:
      check_frequency("frequency", s_.frequency, tick);
      break;
    case Kind::chirp:
      check_frequency("from", s_.from, tick);
      check_frequency("to", s_.to, tick);
      break;
    case Kind::multisine:
      if (s_.from == 0) s_.from = 1 / s_.period;
      if (s_.to == 0) s_.to = 0.4 / tick;
      check_frequency("from", s_.from, tick);
      check_frequency("to", s_.to, tick);
      make_lines(seed);
      break;
    case Kind::table:
      check_table(times_, values_);
      break;
    case Kind::constant:
    case Kind::step:
      break;
  }
}

void TimeSignal::make_lines(std::uint64_t seed) {
  Random random(seed);
  const double first = std::ceil(s_.from * s_.period - hair), last = std::floor(s_.to * s_.period + hair);
  if (!(last >= first) || last - first > most_lines)
    throw Error(fmt::format("between {:g} and {:g} Hz a multisine of {:g} s has {:g} lines", s_.from, s_.to, s_.period,
                            std::max(0.0, last - first + 1)),
                fmt::format("its lines are 1/period = {:g} Hz apart; 1 to {:g} of them", 1 / s_.period, most_lines));
  const auto samples = static_cast<std::size_t>(std::llround(s_.period / tick_));
  std::vector<double> cosine, sine;  // of the samples' shares of a turn
  for (std::size_t i = 0; i < samples; ++i) {
    const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(samples);
    cosine.push_back(std::cos(angle));
    sine.push_back(std::sin(angle));
  }
  values_.assign(samples, 0);
  for (double k = first; k <= last; ++k) {
    const Line line{k / s_.period, std::pow(k / last, s_.tilt), random.uniform(0, 2 * pi)};
    const double c = line.amplitude * std::cos(line.phase), s = line.amplitude * std::sin(line.phase);
    std::size_t turned = 0;  // k i, in shares of a turn
    for (double& value : values_) {
      value += c * cosine[turned] - s * sine[turned];
      turned += static_cast<std::size_t>(k);
      if (turned >= samples) turned -= samples;
    }
    lines_.push_back(line);
  }
  double largest = 0;
  for (const double value : values_) largest = std::max(largest, std::abs(value));
  for (Line& line : lines_) line.amplitude /= largest;
  for (double& value : values_) value /= largest;
}

bool TimeSignal::acts_at(double t) const noexcept {
  return t >= s_.begin - hair * tick_ && (s_.end == 0 || t < s_.end - hair * tick_);
}

double TimeSignal::at(double t) const noexcept {
  if (!acts_at(t)) return 0;
  double since = std::max(t - s_.begin, 0.0);
  if (s_.period > 0) since -= s_.period * std::floor(since / s_.period + hair * tick_ / s_.period);
  const double ticks =
      since / tick_;  // what is nearly on a tick of the period is on it: each period has the same samples
  if (is_whole(ticks)) since = tick_ * std::max(std::round(ticks), 0.0);
  return s_.kind == SignalSettings::Kind::table ? value(since) : s_.amplitude * value(since);
}

double TimeSignal::value(double since) const noexcept {
  using Kind = SignalSettings::Kind;
  switch (s_.kind) {
    case Kind::constant:
    case Kind::step:
      return 1;
    case Kind::sine:
      return std::sin(2 * pi * s_.frequency * since + s_.phase);
    case Kind::chirp:
      return std::sin(2 * pi * since * (s_.from + (s_.to - s_.from) * since / (2 * s_.period)));
    case Kind::multisine: {
      const double ticks = since / tick_;
      if (is_whole(ticks)) return values_[static_cast<std::size_t>(std::llround(ticks)) % values_.size()];
      double sum = 0;
      for (const Line& line : lines_) sum += line.amplitude * std::cos(2 * pi * line.frequency * since + line.phase);
      return sum;
    }
    case Kind::table: {
      const auto after = std::upper_bound(times_.begin(), times_.end(), since);
      if (after == times_.begin()) return values_.front();
      if (after == times_.end()) return values_.back();
      const auto k = static_cast<std::size_t>(after - times_.begin());
      const double share = (since - times_[k - 1]) / (times_[k] - times_[k - 1]);
      return (1 - share) * values_[k - 1] + share * values_[k];
    }
  }
  return 0;
}

void SignalSettings::fields(Fields& f) {
  f.word(
      "kind", kind, {"constant", "step", "sine", "chirp", "multisine", "table"},
      "how it runs: at full size; from `begin` on; as a sine; as a sine that sweeps; as many sines; as a table says");
  f.number("begin", begin, dimension::time, "when it starts to act; its time counts from here", Range::not_negative);
  f.number("end", end, dimension::time, "when it ends; zero: with the run", Range::not_negative);
  f.number("period", period, dimension::time, "after which a chirp, a multisine or a table repeats",
           Range::not_negative);
  f.frequency("frequency", frequency, "frequency of a sine, in Hz", Range::not_negative);
  f.angle("phase", phase, "phase of a sine");
  f.frequency("from", from, "lowest frequency of a multisine (default 1/period), first of a chirp, in Hz",
              Range::not_negative);
  f.frequency("to", to, "highest frequency of a multisine (default 0.4/tick), last of a chirp, in Hz",
              Range::not_negative);
  f.number("tilt", tilt, dimension::none, "the lines of a multisine go with frequency^tilt");
  f.text("table", table, "a CSV file beside the scenario: time [s], counted from `begin`, and the column");
  f.text("column", column, "column of the table (default: its only one)");
}

}  // namespace armature::trajectory
