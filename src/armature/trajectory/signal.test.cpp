#include "armature/trajectory/signal.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "armature/core/error.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::trajectory;

namespace {

using Kind = SignalSettings::Kind;

/// The part of one line in samples of a whole number of its periods, twice its complex amplitude.
std::complex<double> line(const TimeSignal& signal, double frequency, double tick, int samples) {
  std::complex<double> sum = 0;
  for (int k = 0; k < samples; ++k)
    sum += signal.at(k * tick) * std::polar(1.0, -2 * std::numbers::pi * frequency * k * tick);
  return 2.0 * sum / static_cast<double>(samples);
}

}  // namespace

TEST_CASE("what has a period repeats its samples to the bit, whatever tick and begin are") {
  for (const double tick : {1e-3, 3e-4, 1.0 / 512, 0.7e-3})
    for (const double begin : {0.0, 1.234, 17.0}) {
      const int ticks = 700;
      for (const Kind kind : {Kind::chirp, Kind::multisine, Kind::table}) {
        SignalSettings s{.kind = kind, .amplitude = 3, .begin = begin, .period = ticks * tick};
        if (kind == Kind::chirp) {
          s.from = 2;
          s.to = 90;
        }
        const bool table = kind == Kind::table;
        const TimeSignal signal(s, tick, 5, table ? std::vector<double>{0, 0.1, 0.2} : std::vector<double>{},
                                table ? std::vector<double>{1, -2, 0.5} : std::vector<double>{});
        const auto first = static_cast<int>(std::ceil(begin / tick));
        for (int k = first; k < first + ticks; ++k)
          for (const int periods : {1, 2, 5, 1000})
            REQUIRE(signal.at(k * tick) == signal.at((k + periods * ticks) * tick));
      }
    }
}

TEST_CASE("a multisine has its lines and no others, and its largest sample is its amplitude") {
  const double tick = 1e-3, period = 2;
  const int samples = 2000;
  const TimeSignal signal({.kind = Kind::multisine, .amplitude = 4, .period = period, .from = 3, .to = 40, .tilt = 1},
                          tick, 9);
  double largest = 0;
  for (int k = 0; k < samples; ++k) largest = std::max(largest, std::abs(signal.at(k * tick)));
  CHECK(largest == doctest::Approx(4).epsilon(1e-12));
  const double one = std::abs(line(signal, 10, tick, samples));
  for (double f = 0.5; f < 100; f += 0.5) {
    CAPTURE(f);
    const double expected = f < 3 || f > 40 ? 0 : one * f / 10;  // amplitudes go with the frequency
    CHECK(std::abs(line(signal, f, tick, samples)) == doctest::Approx(expected).epsilon(1e-9));
  }
  // between the samples it is the same sum of sines
  const double step = signal.at(0.1001) - signal.at(0.1), next = signal.at(0.1002) - signal.at(0.1001);
  CHECK(std::abs(step - next) < 0.05 * (std::abs(step) + 1e-3));
  const TimeSignal other({.kind = Kind::multisine, .amplitude = 4, .period = period, .from = 3, .to = 40}, tick, 10);
  CHECK(other.at(0.5) != signal.at(0.5));
}

TEST_CASE("constant, step, sine, chirp and table are what their formulas say") {
  const double tick = 1e-3;
  const TimeSignal constant({.amplitude = 2}, tick),
      step({.kind = Kind::step, .amplitude = 2, .begin = 0.5, .end = 0.8}, tick);
  CHECK(constant.at(0) == 2);
  CHECK(constant.at(1e6) == 2);
  CHECK(step.at(0.499) == 0);
  CHECK(step.at(0.5) == 2);
  CHECK(step.at(0.799) == 2);
  CHECK(step.at(0.8) == 0);
  CHECK_FALSE(step.acts_at(0.9));
  const TimeSignal sine({.kind = Kind::sine, .amplitude = 3, .begin = 1, .frequency = 5, .phase = 0.3}, tick);
  CHECK(sine.at(0.9) == 0);
  CHECK(sine.at(1.123) == doctest::Approx(3 * std::sin(2 * std::numbers::pi * 5 * 0.123 + 0.3)));
  const TimeSignal chirp({.kind = Kind::chirp, .amplitude = 1, .period = 4, .from = 2, .to = 10}, tick);
  // its phase has grown by 2π (from t + (to - from) t²/(2 period))
  CHECK(chirp.at(1.5) == doctest::Approx(std::sin(2 * std::numbers::pi * (2 * 1.5 + 8 * 1.5 * 1.5 / 8))));
  const TimeSignal table({.kind = Kind::table, .begin = 1}, tick, 1, {0, 1, 3}, {5, 7, -1});
  CHECK(table.at(0.5) == 0);
  CHECK(table.at(1.5) == doctest::Approx(6));
  CHECK(table.at(3) == doctest::Approx(3));
  CHECK(table.at(9) == -1);
}

TEST_CASE("signals that do not fit are refused with the number that does not") {
  const auto refused = [](const SignalSettings& s, const char* says, std::vector<double> times = {},
                          std::vector<double> values = {}) {
    CHECK_THROWS_WITH_AS(TimeSignal(s, 1e-3, 1, std::move(times), std::move(values)), doctest::Contains(says), Error);
  };
  refused({.kind = Kind::sine, .amplitude = 1, .frequency = 500}, "Nyquist frequency of the tick, 500 Hz");
  refused({.kind = Kind::sine, .amplitude = 1}, "no 'frequency'");
  refused({.kind = Kind::chirp, .period = 1, .from = 1, .to = 600}, "'to' is 600 Hz");
  refused({.kind = Kind::chirp, .from = 1, .to = 6}, "needs a period");
  refused({.kind = Kind::multisine, .period = 1.00037}, "a whole number of ticks");
  refused({.kind = Kind::multisine, .period = 1, .from = 5.2, .to = 5.7}, "has 0 lines");
  refused({.kind = Kind::step, .begin = 2, .end = 1}, "it must end after it begins");
  refused({.kind = Kind::table}, "kind: table and table: FILE.csv belong together");
  refused({.kind = Kind::step, .amplitude = 1, .frequency = 3}, "without being a sine");
  refused({.kind = Kind::sine, .amplitude = 1, .frequency = 3, .tilt = 1}, "without being a multisine");
  refused({.kind = Kind::sine, .amplitude = 1, .period = 1, .frequency = 3}, "has a period without being");
  refused({.kind = Kind::table}, "row 3", {0, 2, 1}, {0, 0, 0});
  refused({.kind = Kind::table}, "row 2", {0, 1, 2}, {0, NAN, 0});
}
