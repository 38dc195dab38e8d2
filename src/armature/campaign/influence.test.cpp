// What matters, where it is known what matters.
#include "armature/campaign/influence.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/campaign/internal/normal.hpp"
#include "armature/campaign/plan.hpp"
#include "armature/core/units.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::campaign;

namespace {

/// [Ishigami1990], with a = 7, b = 0.1, of three numbers uniform between -π and π.
double ishigami(const std::vector<double>& u) {
  const double x = pi * (2 * u[0] - 1), y = pi * (2 * u[1] - 1), z = pi * (2 * u[2] - 1);
  return std::sin(x) + 7 * std::pow(std::sin(y), 2) + 0.1 * std::pow(z, 4) * std::sin(x);
}

}  // namespace

TEST_CASE("Sobol' indices of Ishigami's function are right, and their intervals hold") {
  // its variance, by hand: a²/8 + b π⁴/5 + b² π⁸/18 + 1/2
  const double b = 0.1, p4 = std::pow(pi, 4), p8 = p4 * p4;
  const double all = 49.0 / 8 + b * p4 / 5 + b * b * p8 / 18 + 0.5;
  const double first[] = {0.5 * std::pow(1 + b * p4 / 5, 2) / all, 49.0 / 8 / all, 0};
  const double mixed = 8 * b * b * p8 / 225 / all;  // of x and z together
  const double total[] = {first[0] + mixed, first[1], mixed};
  const int trials = std::getenv("ARMATURE_LONG_TESTS") ? 200 : 40;
  int held = 0, asked = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    const Plan plan({.kind = PlanSettings::Kind::sobol_indices, .runs = 16 * 64 * 5, .points = 64}, 3,
                    static_cast<std::uint64_t>(seed));
    std::vector<double> values;
    for (std::uint64_t k = 0; k < plan.runs(); ++k) values.push_back(ishigami(plan.point(k)));
    const std::vector<SobolIndices> found = sobol_indices(values, 3, plan.replicate_size(), 0.95);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(found[i].first == doctest::Approx(first[i]).epsilon(0.15).scale(1));
      CHECK(found[i].total == doctest::Approx(total[i]).epsilon(0.15).scale(1));
      held += found[i].first_interval.low <= first[i] && first[i] <= found[i].first_interval.high;
      held += found[i].total_interval.low <= total[i] && total[i] <= found[i].total_interval.high;
      asked += 2;
    }
  }
  MESSAGE("indices within their intervals: " << 100.0 * held / asked << " % of " << asked);
  CHECK(held >= 0.90 * asked);
}

TEST_CASE("a rank correlation sees what is monotone, and its interval holds that of normal pairs") {
  const RandomField random(4);
  std::vector<double> x, cube, constant(200, 3.0);
  for (std::uint64_t i = 0; i < 200; ++i) {
    x.push_back(normal_quantile(random.uniform(RandomField::Purpose::draw, i, 0)));
    cube.push_back(-std::pow(x.back(), 3));
  }
  CHECK(rank_correlation(x, cube) == doctest::Approx(-1));
  CHECK(rank_correlation(x, constant) == 0);
  const double r = 0.6, spearman = 6 / pi * std::asin(r / 2);  // of a normal pair with correlation r [Pearson1907]
  int held = 0;
  const int trials = 300;
  for (std::uint64_t t = 0; t < trials; ++t) {
    std::vector<double> a, b;
    for (std::uint64_t i = 0; i < 150; ++i) {
      const double u = normal_quantile(random.uniform(RandomField::Purpose::draw, t * 150 + i, 1));
      const double v = normal_quantile(random.uniform(RandomField::Purpose::draw, t * 150 + i, 2));
      a.push_back(u);
      b.push_back(r * u + std::sqrt(1 - r * r) * v);
    }
    const Interval i = rank_correlation_interval(rank_correlation(a, b), 150, 0.95);
    held += i.low <= spearman && spearman <= i.high;
  }
  CHECK(held >= 0.95 * trials - 3 * std::sqrt(0.95 * 0.05 * trials));
}
