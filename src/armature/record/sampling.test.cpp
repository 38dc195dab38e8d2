#include "armature/record/sampling.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::record;

namespace {

std::vector<double> ticks(int n, double step) {
  std::vector<double> time;
  for (int i = 0; i < n; ++i) time.push_back(i * step);
  return time;
}

}  // namespace

TEST_CASE("a clock that ticks evenly is regular, and its step is known to rounding") {
  const Sampling sampling = sampling_of(ticks(5000, 1e-3));
  CHECK(sampling.step == doctest::Approx(1e-3).epsilon(1e-9));
  CHECK(sampling.regular());
  CHECK(regular_step(ticks(5000, 1e-3)) == doctest::Approx(1e-3).epsilon(1e-14));
}

TEST_CASE("lost samples are found, counted and named, however many remain") {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> time = ticks(1000, 2e-3);
    const auto first = static_cast<std::ptrdiff_t>(1 + random.bits() % 900),
               lost = std::ptrdiff_t(1 + random.bits() % 90);
    time.erase(time.begin() + first, time.begin() + first + lost);
    const Sampling sampling = sampling_of(time);
    REQUIRE(sampling.gaps.size() == 1);
    CHECK(sampling.gaps[0].missing == static_cast<std::size_t>(lost));
    CHECK(sampling.gaps[0].after == static_cast<std::size_t>(first - 1));
    CHECK(sampling.gaps[0].to - sampling.gaps[0].from == doctest::Approx(2e-3 * double(lost + 1)));
    CHECK(sampling.step == doctest::Approx(2e-3));
    CHECK_FALSE(sampling.regular());
  }
}

TEST_CASE("jitter is measured, and refused where it matters") {
  std::vector<double> time = ticks(100, 0.01);
  time[50] += 0.002;
  CHECK(sampling_of(time).jitter == doctest::Approx(0.002));
  CHECK(sampling_of(time).gaps.empty());
  CHECK_THROWS_WITH_AS(regular_step(time), doctest::Contains("before sample 51 at 0.502 s"), Error);
  CHECK(regular_step(time, 0.25) == doctest::Approx(0.01));
}

TEST_CASE("irregular times are refused with the first offender") {
  std::vector<double> time = ticks(10, 0.5);
  time.erase(time.begin() + 4);
  CHECK_THROWS_WITH_AS(regular_step(time),
                       "1 sample is missing between 1.5 s and 2.5 s\n  hint: cut the log there, or resample it", Error);
  CHECK_THROWS_WITH_AS(sampling_of(std::vector<double>{0, 1, 1}),
                       "sample 3 at 1 s follows one at 1 s\n  hint: samples are in order of time", Error);
  CHECK_THROWS_AS(sampling_of(std::vector<double>{0, NAN}), Error);
  CHECK_THROWS_AS(sampling_of(std::vector<double>{0}), Error);
}
