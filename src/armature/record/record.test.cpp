#include <cmath>
#include <numeric>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/record/filter.hpp"
#include "armature/record/log.hpp"
#include "armature/record/spectrum.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::record;

namespace {

std::vector<double> noise(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (double& value : x) value = random.normal();
  return x;
}

std::vector<double> sampled(std::size_t n, double step, auto f) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = f(static_cast<double>(i) * step);
  return x;
}

}  // namespace

TEST_CASE("a channel is found by name, and a mistyped name is guessed") {
  Log log;
  log.add("q1", "rad").values = {1, 2};
  CHECK(log.channel("q1").values[1] == 2);
  CHECK_THROWS_WITH_AS((void)log.channel("q11"), "the log has no channel 'q11'\n  hint: did you mean 'q1'?", Error);
  CHECK_THROWS_AS(log.add("q1", "rad"), Error);
}

TEST_CASE("cutting keeps the samples and events between two times") {
  Log log;
  log.time = {0, 1, 2, 3};
  log.add("x", "m").values = {10, 11, 12, 13};
  log.events = {{0.5, "a", ""}, {2.5, "b", ""}};
  const Log part = cut(log, 1, 2);
  CHECK(part.time == std::vector<double>{1, 2});
  CHECK(part.channel("x").values == std::vector<double>{11, 12});
  CHECK(part.events.empty());
  CHECK(cut(log, 5, 6).time.empty());
}

TEST_CASE("a Butterworth filter passes constants, halves the power at its cut-off and falls with its order") {
  for (int order = 1; order <= 12; ++order) {
    const auto sections = butterworth(order, 20, 1000);
    CHECK(magnitude(sections, 0, 1000) == doctest::Approx(1).epsilon(1e-12));
    CHECK(magnitude(sections, 20, 1000) == doctest::Approx(std::sqrt(0.5)).epsilon(1e-9));
    const double w = std::tan(pi * 50 / 1000) / std::tan(pi * 20 / 1000);  // maximally flat: 1/sqrt(1 + w^2n)
    CHECK(magnitude(sections, 50, 1000) == doctest::Approx(1 / std::sqrt(1 + std::pow(w, 2 * order))).epsilon(1e-9));
  }
  CHECK_THROWS_AS(butterworth(4, 600, 1000), Error);
  CHECK_THROWS_AS(butterworth(0, 20, 1000), Error);
}

TEST_CASE("a zero-phase filter keeps lines, shifts no sine and squares the magnitude") {
  const auto sections = butterworth(4, 20, 1000);
  const auto line = sampled(500, 1e-3, [](double t) { return 3 + 2 * t; });
  const auto kept = filter_zero_phase(sections, line);
  for (std::size_t i = 0; i < line.size(); ++i) CHECK(std::abs(kept[i] - line[i]) < 1e-9);
  const auto sine = sampled(4000, 1e-3, [](double t) { return std::sin(2 * pi * 15 * t); });
  const auto y = filter_zero_phase(sections, sine);
  const double gain = std::pow(magnitude(sections, 15, 1000), 2);
  for (std::size_t i = 1000; i < 3000; ++i) CHECK(std::abs(y[i] - gain * sine[i]) < 1e-9);
}

TEST_CASE("filtering in overlapping blocks is filtering the whole") {
  const auto sections = butterworth(4, 25, 1000);
  const auto x = noise(20000, 3);
  const auto whole = filter_zero_phase(sections, x);
  const std::size_t margin = settling_length(sections);
  const std::span<const double> all(x);
  double worst = 0;
  for (std::size_t start = margin; start + 2000 + margin <= x.size(); start += 2000) {
    const auto block = filter_zero_phase(sections, all.subspan(start - margin, 2000 + 2 * margin));
    for (std::size_t i = 0; i < 2000; ++i) worst = std::max(worst, std::abs(block[margin + i] - whole[start + i]));
  }
  CHECK(worst < 1e-12);
}

TEST_CASE("central differences are exact for parabolas and of second order") {
  const auto parabola = sampled(50, 0.01, [](double t) { return 1 + 2 * t - 3 * t * t; });
  const auto slope = central_difference(parabola, 0.01);
  for (std::size_t i = 0; i < slope.size(); ++i)
    CHECK(slope[i] == doctest::Approx(2 - 6 * 0.01 * static_cast<double>(i)).epsilon(1e-10));
  const auto error = [](double h) {
    const auto d =
        central_difference(sampled(static_cast<std::size_t>(2 / h) + 1, h, [](double t) { return std::sin(t); }), h);
    return std::abs(d[d.size() / 2] - std::cos(h * static_cast<double>(d.size() / 2)));
  };
  CHECK(error(0.02) / error(0.01) == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE("resampling goes through the samples, is exact for parabolas inside and refuses to guess outside") {
  const std::vector<double> t{0, 0.1, 0.25, 0.4, 0.5}, x{0, 0.01, 0.0625, 0.16, 0.25};
  CHECK(resample(t, x, t) == x);
  CHECK(resample(t, x, std::vector{0.2, 0.3})[0] == doctest::Approx(0.04));
  CHECK_THROWS_AS(resample(t, x, std::vector{0.6}), Error);
}

TEST_CASE("decimation keeps slow signals and removes what would fold") {
  const auto slow = sampled(10000, 1e-3, [](double t) { return std::sin(2 * pi * 2 * t); });
  const auto fast = sampled(10000, 1e-3, [](double t) { return std::sin(2 * pi * 90 * t); });
  const auto a = decimate(slow, 10), b = decimate(fast, 10);
  for (std::size_t i = 100; i < 900; ++i) {
    CHECK(std::abs(a[i] - slow[10 * i]) < 1e-6);
    CHECK(std::abs(b[i]) < 1e-3);
  }
}

TEST_CASE("power density integrates to the variance") {
  const auto x = noise(200000, 4);
  double variance = 0;
  for (const double value : x) variance += value * value;
  variance /= static_cast<double>(x.size());
  const WelchSettings settings{.rate = 1000, .segment = 1000};
  const auto [frequency, density] = welch(x, settings);
  const double integral = std::accumulate(density.begin(), density.end(), 0.0) * (frequency[1] - frequency[0]);
  CHECK(integral == doctest::Approx(variance).epsilon(0.02));
  for (const double d : std::span(density).subspan(5, 400))
    CHECK(d == doctest::Approx(2.0 / 1000).epsilon(0.35));  // white
}

TEST_CASE("the frequency response of a filter is estimated where its input has power") {
  const auto sections = butterworth(2, 60, 1000);
  const auto x = noise(400000, 5);
  const auto y = filter(sections, x);
  const auto h = frequency_response(x, y, {.rate = 1000, .segment = 2000});
  for (std::size_t k = 4; k < 300; ++k) {
    CHECK(std::abs(h.response[k]) == doctest::Approx(magnitude(sections, h.frequency[k], 1000)).epsilon(0.01));
    CHECK(h.coherence[k] > 0.99);
  }
  const auto unrelated = frequency_response(x, noise(400000, 6), {.rate = 1000, .segment = 2000});
  const double mean = std::accumulate(unrelated.coherence.begin(), unrelated.coherence.end(), 0.0) / 1001;
  CHECK(mean < 0.01);
  CHECK_THROWS_AS(frequency_response(x, y, {.rate = 1000, .segment = 500000}), Error);
}

TEST_CASE("in a closed loop with strong noise the indirect estimate is right where the direct one is biased") {
  // y = G u + d, u = r - y, G(z) = 0.3/(z - 0.8): the noise d reaches u through the feedback
  const std::size_t n = 400000;
  const auto r = noise(n, 7), d = noise(n, 8);
  std::vector<double> u(n), y(n);
  double state = 0;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = state + d[i];
    u[i] = r[i] - y[i];
    state = 0.8 * state + 0.3 * u[i];
  }
  const WelchSettings settings{.rate = 1, .segment = 1000};
  const auto direct = frequency_response(u, y, settings), indirect = indirect_response(r, u, y, settings);
  double direct_error = 0, indirect_error = 0;
  for (std::size_t k = 10; k < 400; ++k) {
    const std::complex<double> z = std::polar(1.0, 2 * pi * direct.frequency[k]), G = 0.3 / (z - 0.8);
    direct_error += std::norm(direct.response[k] - G);
    indirect_error += std::norm(indirect.response[k] - G);
  }
  CHECK(std::sqrt(indirect_error / 390) < 0.1);
  CHECK(direct_error > 20 * indirect_error);
}

TEST_CASE("where a signal has no line, rounding does not pass for one") {
  std::vector<double> x, y;
  Random noise(4);
  for (int k = 0; k < 6000; ++k) {
    double value = 0;
    for (int line = 5; line < 50; ++line) value += std::cos(2 * pi * line * (k % 1000) / 1000.0 + line * line);
    x.push_back(value);
    y.push_back(0.5 * value + 1e-3 * noise.normal());
  }
  const FrequencyResponse h = frequency_response(x, y, {.rate = 1000, .segment = 1000, .overlap = 0, .hann = false});
  for (std::size_t line = 1; line < 500; ++line) {
    CAPTURE(line);
    const bool there = line >= 5 && line < 50;
    CHECK((h.coherence[line] > 0.9) == there);
    CHECK((std::abs(h.response[line]) > 0) == there);
  }
}
