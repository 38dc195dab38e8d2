#include "armature/record/resample.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::record;

namespace {

constexpr double rate = 200;  // [Hz]

double first_signal(double t) { return std::sin(2 * M_PI * 1.3 * t) + 0.4 * std::cos(2 * M_PI * 2.9 * t); }
double second_signal(double t) { return 2 * std::cos(2 * M_PI * 0.7 * t) + 0.1 * t; }

/// Rows taken at `times`, stamped with `stamps`.
Samples taken_at(const std::vector<double>& times) {
  Samples values(static_cast<Eigen::Index>(times.size()), 2);
  for (std::size_t k = 0; k < times.size(); ++k) values.row(k) << first_signal(times[k]), second_signal(times[k]);
  return values;
}

std::vector<double> even_times(std::size_t rows, double start = 0) {
  std::vector<double> times;
  for (std::size_t k = 0; k < rows; ++k) times.push_back(start + static_cast<double>(k) / rate);
  return times;
}

std::vector<double> jittered(std::vector<double> times, double jitter, unsigned seed = 1) {
  Random random(seed);
  for (double& t : times) t += random.uniform(-jitter, jitter);
  return times;
}

/// The largest distance of the samples from the truth at their times, up to a shift of all times that stamps cannot tell.
double worst_error(const Resampling& r) {
  double worst = 0;
  for (const LogSegment& s : r.segments)
    for (Eigen::Index k = 0; k < s.values.rows(); ++k) {
      const double t = s.start + static_cast<double>(k) * r.step;
      worst =
          std::max({worst, std::abs(s.values(k, 0) - first_signal(t)), std::abs(s.values(k, 1) - second_signal(t))});
    }
  return worst;
}

}  // namespace

TEST_CASE("a regular log is taken as it is, to the bit") {
  const std::vector<double> times = even_times(500, 3);
  const Samples values = taken_at(times);
  const Resampling r = resample(times, values, 2);
  CHECK(r.times == Resampling::Times::regular);
  CHECK(r.segments.size() == 1);
  CHECK(r.segments[0].values == values);
  CHECK(r.segments[0].start == times[0]);
  CHECK(describe(r).empty());
}

TEST_CASE("rows that were taken at jittering times are interpolated, rows whose stamps alone jitter are not") {
  const std::vector<double> even = even_times(2000), uneven = jittered(even, 0.3 / rate);
  SUBCASE("at the stamps") {
    const Resampling r = resample(uneven, taken_at(uneven), 2);
    CHECK(r.times == Resampling::Times::stamps);
    CHECK(r.step == doctest::Approx(1 / rate).epsilon(0.02));
    // the cubic through nodes at most 1.6 steps apart: |f''''| h^4 / 24 * |product of distances|
    const double h = 1.6 / rate, fourth = std::pow(2 * M_PI * 1.3, 4) + 0.4 * std::pow(2 * M_PI * 2.9, 4);
    CHECK(worst_error(r) < fourth * std::pow(h, 4) * (1.5 * 1.5 * 0.5 * 0.5) / 24 * 1.6);
    CHECK(describe(r).find("resampled at") != std::string::npos);
  }
  SUBCASE("at equal steps") {
    const Samples values = taken_at(even);
    const Resampling r = resample(uneven, values, 2);
    CHECK(r.times == Resampling::Times::rows);
    CHECK(r.segments[0].values == values);  // nothing is interpolated
    CHECK(r.step == doctest::Approx(1 / rate).epsilon(1e-4));
    CHECK(std::abs(r.segments[0].start) <
          0.3 / rate / std::sqrt(3.0) * 4 / std::sqrt(2000.0));  // mean of uniform errors
    CHECK(describe(r).find("equally spaced at 200 Hz") != std::string::npos);
  }
}

TEST_CASE("noise on the readings does not change which reading of the stamps is taken") {
  const std::vector<double> even = even_times(4000), uneven = jittered(even, 0.3 / rate);
  for (const unsigned seed : {2u, 3u, 4u})
    for (const bool at_stamps : {true, false}) {
      Random random(seed);
      Samples values = taken_at(at_stamps ? uneven : even);
      for (Eigen::Index k = 0; k < values.rows(); ++k)
        for (Eigen::Index c = 0; c < 2; ++c) values(k, c) += 1e-3 * random.normal();
      CHECK(resample(uneven, values, 2).times == (at_stamps ? Resampling::Times::stamps : Resampling::Times::rows));
    }
}

TEST_CASE("messages that arrive in bursts are counted, not believed") {
  const std::vector<double> even = even_times(1000);
  std::vector<double> arrival;  // each group of four arrives with its last
  for (std::size_t k = 0; k < even.size(); ++k)
    arrival.push_back(even[k / 4 * 4 + 3] + 1e-4 * static_cast<double>(k % 4));
  const Samples values = taken_at(even);
  const Resampling r = resample(arrival, values, 2);
  CHECK(r.times == Resampling::Times::rows);
  CHECK(r.segments.size() == 1);
  CHECK(r.segments[0].values == values);
  CHECK(r.step == doctest::Approx(1 / rate).epsilon(1e-3));
}

TEST_CASE("stamps that are coarser than the rows are counted through") {
  const std::vector<double> even = even_times(1000);
  std::vector<double> coarse;
  for (const double t : even) coarse.push_back(std::floor(t * 100) / 100);  // two rows per stamp
  const Samples values = taken_at(even);
  const Resampling r = resample(coarse, values, 2);
  CHECK(r.times == Resampling::Times::rows);
  CHECK(r.segments[0].values == values);
  CHECK(r.step == doctest::Approx(1 / rate).epsilon(1e-3));
}

TEST_CASE("short holes are filled, longer ones end a segment, and what is left out is counted") {
  std::vector<double> times = even_times(1000);
  Samples values = taken_at(times);
  values(100, 1) = NAN;                                         // one reading
  for (Eigen::Index k = 200; k < 203; ++k) values(k, 0) = NAN;  // three
  for (Eigen::Index k = 300; k < 304; ++k) values(k, 0) = NAN;  // four: a gap
  times[400] = NAN;
  times[500] = times[499];
  values.row(500) = values.row(499);  // a row twice, one lost
  times.erase(times.begin() + 700, times.begin() + 750);
  Samples shorter(950, 2);
  shorter << values.topRows(700), values.bottomRows(250);
  const Resampling r = resample(times, shorter, 2);
  CHECK(r.incomplete == 9);
  CHECK(r.repeated == 1);
  CHECK(r.filled == 6);
  CHECK(r.gaps == 2);
  REQUIRE(r.segments.size() == 3);
  CHECK(r.segments[1].start == doctest::Approx(304 / rate));
  CHECK(r.segments[2].start == doctest::Approx(750 / rate));
  CHECK(r.segments[0].values.rows() + r.segments[1].values.rows() + r.segments[2].values.rows() == 1000 - 4 - 50);
  CHECK(worst_error(r) < 2e-3);  // a hole of three: f'''' h^4 of 4 steps
  CHECK(describe(r).find("2 gaps split the log into 3 segments") != std::string::npos);
}

TEST_CASE("two recordings in one file are two runs") {
  std::vector<double> times = even_times(400, 5), second = even_times(300, 2);
  times.insert(times.end(), second.begin(), second.end());
  const Resampling r = resample(times, taken_at(times), 2);
  REQUIRE(r.segments.size() == 2);
  CHECK(r.restarts == 1);
  CHECK(r.segments[1].restarts == 1);
  CHECK(r.segments[0].values.rows() == 400);
  CHECK(r.segments[1].values.rows() == 300);
}

TEST_CASE("a given step is kept") {
  const std::vector<double> uneven = jittered(even_times(2000), 0.2 / rate);
  const Resampling r = resample(uneven, taken_at(uneven), 2, 0.00505);
  CHECK(r.step == 0.00505);
  CHECK(worst_error(r) < 1e-3);
}

TEST_CASE("the step is never longer than the mean interval: nothing is thinned out") {
  Random random(5);
  std::vector<double> times{0};
  while (times.size() < 3000) times.push_back(times.back() + (random.uniform(0, 1) < 0.4 ? 0.3 : 1.4) / rate);
  const Resampling r = resample(times, taken_at(times), 2);
  CHECK(r.step <= (times.back() - times.front()) / 2999 * 1.002);
}

TEST_CASE("what cannot be put onto steps is refused") {
  CHECK_THROWS_AS(resample({1, 1, 1, 1}, Samples::Zero(4, 1), 1), Error);
  CHECK_THROWS_AS(resample(even_times(100), Samples::Constant(100, 1, NAN), 1), Error);
  CHECK_THROWS_AS(resample(even_times(5), Samples::Zero(5, 1), 1), Error);
}
