#include "armature/identification/frf.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/resonance.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

namespace {

/// A sampled loop about y = b1 u[k-1] + b2 u[k-2] - a1 y[k-1] - a2 y[k-2] with u = v - g (y + noise): what a log of it would hold.
struct Loop {
  double a1 = -1.7, a2 = 0.85, b1 = 0.08, b2 = 0.07, gain = 1.0, noise = 0;
  [[nodiscard]] std::complex<double> plant(double f) const {
    const std::complex<double> z = std::polar(1.0, -2 * pi * f * 1e-3);
    return (b1 * z + b2 * z * z) / (1.0 + a1 * z + a2 * z * z);
  }
  [[nodiscard]] Log log(int samples, std::uint64_t seed) const {
    Random random(seed);
    Log out;
    for (const char* name : {"v", "u", "y"}) out.add(name, "");
    double u1 = 0, u2 = 0, y1 = 0, y2 = 0;
    for (int k = 0; k < samples; ++k) {
      const double y = b1 * u1 + b2 * u2 - a1 * y1 - a2 * y2, measured = y + noise * random.normal(),
                   v = random.normal();
      const double u = v - gain * measured;
      out.time.push_back(1e-3 * k);
      out.channels[0].values.push_back(v);
      out.channels[1].values.push_back(u);
      out.channels[2].values.push_back(measured);
      u2 = u1;
      u1 = u;
      y2 = y1;
      y1 = y;
    }
    return out;
  }
};

/// A mode on top of two integrators and a delay, at lines of 0.25 Hz.
FrequencyResponse mode_response(double f0, double zeta, double coherence, std::uint64_t seed) {
  Random random(seed);
  FrequencyResponse frf;
  frf.segments = 20;
  for (int k = 1; k < 1600; ++k) {
    const double f = 0.25 * k;
    const std::complex<double> s(0, 2 * pi * f);
    const double w = 2 * pi * f0;
    std::complex<double> H = 1.0 / (s * s) + 0.6 / (s * s + 2 * zeta * w * s + w * w);
    H *= std::exp(-s * 1.5e-3);
    const double deviation = std::sqrt((1 - coherence) / (2.0 * 20 * coherence));
    H *= 1.0 + deviation * std::complex<double>(random.normal(), random.normal());
    frf.frequency.push_back(f);
    frf.response.push_back(H);
    frf.coherence.push_back(coherence);
  }
  return frf;
}

}  // namespace

TEST_CASE("an output that drifts does not pass for one that repeats; about its motion it answers as without") {
  const double tick = 1e-3;
  Log still, moving;
  for (Log* log : {&still, &moving}) {
    std::vector<double> u, y, r;
    for (int k = 0; k < 8000; ++k) {
      log->time.push_back(k * tick);
      double in = 0, out = 0;
      for (int line = 1; line < 60; ++line) {
        const double angle = 2 * pi * 0.5 * line * k * tick + line * line;
        in += std::cos(angle);
        out += 1e-3 / line * std::cos(angle - 0.3);
      }
      u.push_back(in);
      r.push_back(log == &moving ? 0.5 * k * tick : 0);
      y.push_back(out + r.back());
    }
    log->add("u", "").values = u;
    log->add("y", "").values = y;
    log->add("r", "").values = r;
  }
  FrfSettings s{.input = "u", .output = "y", .segment = 2, .periodic = true};
  const FrfEstimate expected = estimate_frf(still, s);
  CHECK_THROWS_WITH_AS(estimate_frf(moving, s), doctest::Contains("drifts by 1 in a segment of 2 s"), Error);
  s.about = "r";
  const FrfEstimate found = estimate_frf(moving, s);
  for (std::size_t line = 1; line < 60; ++line) {
    CHECK(std::abs(found.direct.response[line] - expected.direct.response[line]) < 1e-12);
    CHECK(std::abs(found.direct.response[line]) == doctest::Approx(1e-3 / static_cast<double>(line)));
  }
}

TEST_CASE("in a noisy loop the indirect estimate finds the plant and the direct one does not") {
  Loop loop;
  loop.noise = 1;
  const Log log = loop.log(400000, 7);
  const FrfEstimate frf = estimate_frf(log, {.input = "u", .output = "y", .excitation = "v", .segment = 0.5});
  double direct = 0, indirect = 0;
  int lines = 0;
  for (std::size_t k = 10; k < 100; ++k, ++lines) {
    const double f = frf.direct.frequency[k];
    direct += std::norm(frf.direct.response[k] / loop.plant(f) - 1.0);
    indirect += std::norm(frf.indirect->response[k] / loop.plant(f) - 1.0);
  }
  CHECK(std::sqrt(indirect / lines) < 0.1);
  CHECK(std::sqrt(direct / lines) > 5 * std::sqrt(indirect / lines));
  CHECK(reliable_share(frf.direct, 0.7, 20, 200) < 1);
}

TEST_CASE("the plant follows from the sensitivity and the controller") {
  const Loop loop;
  const Log log = loop.log(200000, 3);
  const FrfEstimate frf = estimate_frf(log, {.input = "u", .output = "y", .excitation = "v", .segment = 0.5});
  const std::vector<std::complex<double>> C(frf.sensitivity->response.size(), 1.0);
  const auto P = plant_from_sensitivity(frf.sensitivity->response, C);
  for (std::size_t k = 10; k < 100; ++k) CHECK(std::abs(P[k] / loop.plant(frf.direct.frequency[k]) - 1.0) < 0.05);
}

TEST_CASE("a resonance is found with its interval, whatever delay and integrators do") {
  int inside = 0, trials = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto modes = find_resonances(mode_response(83, 0.02, 0.95, seed), {.from = 5, .to = 300});
    const auto peak = std::find_if(modes.begin(), modes.end(), [](const Resonance& m) { return !m.anti; });
    REQUIRE(peak != modes.end());
    CHECK(peak->frequency == doctest::Approx(83).epsilon(0.005));
    CHECK(peak->damping == doctest::Approx(0.02).epsilon(0.25));
    inside += std::abs(peak->frequency - 83) < 1.96 * peak->frequency_deviation;
    ++trials;
  }
  CHECK(inside >= 0.91 * trials);  // 95 % are promised; four standard deviations of 200 trials are 6 %
  CHECK(inside <= 0.99 * trials);
  const auto exact = find_resonances(mode_response(40, 0.05, 0.999999, 1), {.from = 5, .to = 300});
  REQUIRE(exact.size() == 2);  // a zero below the pole: 1/s² + 0.6/(s² + ..) vanishes near 40/sqrt(1.6)
  CHECK(exact[0].anti);
  CHECK(exact[0].frequency == doctest::Approx(40 / std::sqrt(1.6)).epsilon(0.01));
  CHECK(exact[1].frequency == doctest::Approx(40).epsilon(1e-3));
  CHECK(exact[1].damping == doctest::Approx(0.05).epsilon(0.02));
}

TEST_CASE("logs without a spectrum are refused with the reason") {
  Log log = Loop{}.log(2000, 1);
  CHECK_THROWS_WITH_AS(estimate_frf(log, {.input = "u", .output = "y", .segment = 5}),
                       doctest::Contains("less than one segment"), Error);
  CHECK_THROWS_WITH_AS(estimate_frf(log, {.input = "w", .output = "y"}), doctest::Contains("'w'"), Error);
  log.channel("u").values[700] = std::nan("");
  CHECK_THROWS_WITH_AS(estimate_frf(log, {.input = "u", .output = "y", .segment = 0.5}),
                       doctest::Contains("no value at 0.7 s"), Error);
  log.channel("u").values.assign(2000, 1.0);
  CHECK_THROWS_WITH_AS(estimate_frf(log, {.input = "u", .output = "y", .segment = 0.5}),
                       doctest::Contains("never changes"), Error);
}
