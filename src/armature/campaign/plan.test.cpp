// Every run has its own random numbers, and every plan fills the unit cube as it says.
#include "armature/campaign/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "armature/campaign/internal/sobol_points.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::campaign;
using armature::core::Random;
using Kind = PlanSettings::Kind;

TEST_CASE("Philox gives the numbers that its authors publish") {
  // known answers of Random123 for philox4x32, 10 rounds [Salmon2011]
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) ==
        PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a shuffle meets every number once") {
  const RandomField random(5);
  for (const std::uint32_t count : {1U, 2U, 3U, 17U, 64U, 1000U}) {
    CAPTURE(count);
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < count; ++i) seen.insert(shuffled(random, 3, 1, count, i));
    CHECK(seen.size() == count);
    CHECK(*seen.rbegin() == count - 1);
  }
}

TEST_CASE("a replicate of a Latin hypercube or of Sobol' points has one run in every stratum of every coordinate") {
  for (const Kind kind : {Kind::latin_hypercube, Kind::sobol}) {
    const Plan plan({.kind = kind, .runs = 1024, .points = 64}, 7, 11);
    CHECK(plan.runs() == 1024);
    CHECK(plan.replicate_size() == 64);
    for (std::uint64_t replicate = 0; replicate < 3; ++replicate)
      for (std::size_t d = 0; d < 7; ++d) {
        std::set<int> strata;
        for (std::uint64_t i = 0; i < 64; ++i) strata.insert(static_cast<int>(plan.point(replicate * 64 + i)[d] * 64));
        CHECK(strata.size() == 64);
      }
  }
}

TEST_CASE("Sobol' points are even in every pair of the first coordinates") {
  // any 2^6 points of a (0, 6, 2)-net have one point in each of the 64 boxes 1/8 x 1/8
  const SobolPoints points(2, RandomField(9));
  std::set<int> boxes;
  for (std::uint32_t i = 0; i < 64; ++i)
    boxes.insert(static_cast<int>(points.coordinate(1, i, 0) * 8) * 8 +
                 static_cast<int>(points.coordinate(1, i, 1) * 8));
  CHECK(boxes.size() == 64);
}

TEST_CASE("draws do not depend on how many runs are planned") {
  const Plan few({.runs = 10}, 3, 1), many({.runs = 1000000}, 3, 1), other({.runs = 10}, 3, 2);
  CHECK(few.point(7) == many.point(7));
  CHECK(few.point(7) != other.point(7));
  const Plan nets({.kind = Kind::sobol, .runs = 512, .points = 32}, 3, 1);
  const Plan more({.kind = Kind::sobol, .runs = 4096, .points = 32}, 3, 1);
  CHECK(nets.point(100) == more.point(100));
}

TEST_CASE("every coordinate of every plan is uniform") {
  for (const Kind kind : {Kind::monte_carlo, Kind::latin_hypercube, Kind::sobol, Kind::sobol_indices}) {
    CAPTURE(static_cast<int>(kind));
    const Plan plan({.kind = kind, .runs = 4096}, 2, 3);
    double mean = 0, square = 0;
    for (std::uint64_t run = 0; run < plan.runs(); ++run) {
      const double u = plan.point(run)[1];
      REQUIRE((u > 0 && u < 1));
      mean += u;
      square += u * u;
    }
    const auto n = static_cast<double>(plan.runs());
    CHECK(std::abs(mean / n - 0.5) < 4 * std::sqrt(1 / 12.0 / n) * 2);  // sobol_indices repeats its points
    CHECK(std::abs(square / n - 1.0 / 3) < 4 * std::sqrt(4 / 45.0 / n) * 2);
  }
}

TEST_CASE("every run has noise of its own, and in mixtures whoever shares its coordinate") {
  for (const Kind kind : {Kind::monte_carlo, Kind::latin_hypercube, Kind::sobol}) {
    const Plan plan({.kind = kind, .runs = 300000}, 3, 4, true);
    std::vector<double> seeds;
    for (std::uint64_t run = 0; run < plan.runs(); ++run) {
      seeds.push_back(plan.point(run).back());
      REQUIRE((seeds.back() == std::floor(seeds.back()) && seeds.back() >= 0 && seeds.back() < Plan::most_runs));
    }
    std::sort(seeds.begin(), seeds.end());
    CHECK(std::adjacent_find(seeds.begin(), seeds.end()) == seeds.end());  // 45 pairs if they were drawn
    CHECK(std::abs(seeds[seeds.size() / 2] / Plan::most_runs - 0.5) < 0.01);
  }
  const Plan far({.runs = 1000000000}, 3, 4, true);
  CHECK(far.point(999999999).back() != far.point(0).back());
  const Plan mixed({.kind = Kind::sobol_indices, .runs = 2560}, 2, 3, true);
  std::map<double, int> runs_of;
  for (std::uint64_t run = 0; run < mixed.runs(); ++run) ++runs_of[mixed.point(run).back()];
  CHECK(runs_of.size() == mixed.runs() / 2);  // of four runs A and one mixture share a seed, B and the other one
  for (const auto& [seed, runs] : runs_of) CHECK(runs == 2);
}

TEST_CASE("the random numbers of two seeds of noise do not meet within 2.9e9 of them") {
  // They are a function of seed + k step modulo 2^64. Of all k below q the q of the best approximations of step/2^64, a continued fraction, come
  // nearest to a multiple of 2^64.
  const std::uint64_t step = 0x9e3779b97f4a7c15ULL;
  CHECK(Random(7 + step).bits() == [] {
    Random next(7);
    next.bits();
    return next.bits();
  }());
  std::uint64_t q_before = 1, q = 2, far = 0 - step,
                near = 2 * step;  // the first two, and how far their multiples are from one
  while (near >= Plan::most_runs) {
    const std::uint64_t times = far / near, next = q_before + times * q;
    q_before = std::exchange(q, next);
    far = std::exchange(near, far - times * near);
  }
  CHECK(q > 2'900'000'000);
}

TEST_CASE("a plan that gives no interval is refused") {
  CHECK_THROWS_WITH_AS(Plan({.kind = Kind::sobol, .runs = 20}, 2, 1), doctest::Contains("fewer than two points"),
                       Error);
  CHECK_THROWS_WITH_AS(Plan({.kind = Kind::sobol, .runs = 1000, .points = 100}, 2, 1),
                       doctest::Contains("no power of two"), Error);
  CHECK_THROWS_WITH_AS(Plan({.kind = Kind::latin_hypercube, .runs = 100, .points = 50}, 2, 1),
                       doctest::Contains("2 replicates"), Error);
  CHECK_THROWS_WITH_AS(Plan({.runs = 100, .points = 50}, 2, 1), doctest::Contains("has none"), Error);
}
