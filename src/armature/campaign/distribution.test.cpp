// Distributions by their defining integrals, and what no quantity can be spread like.
#include "armature/campaign/distribution.hpp"

#include <cmath>

#include "armature/campaign/internal/normal.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::campaign;

namespace {

Distribution spread(const std::string& text) { return Distribution(parse_yaml(text, "test.yaml"), "it"); }

/// Mean of `f` over the distribution, by the midpoint rule in probability.
template <class F>
double mean_over(const Distribution& d, F f) {
  constexpr int n = 200000;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += f(d.quantile((i + 0.5) / n));
  return sum / n;
}
double mean(const Distribution& d) {
  return mean_over(d, [](double x) { return x; });
}
double deviation(const Distribution& d) {
  const double m = mean(d);
  return std::sqrt(mean_over(d, [&](double x) { return (x - m) * (x - m); }));
}

}  // namespace

TEST_CASE("the normal quantile is the inverse of the normal integral") {
  CHECK(normal_quantile(0.975) == doctest::Approx(1.959963984540054).epsilon(1e-14));
  for (const double u : {1e-300, 1e-12, 0.3, 0.5, 0.9999})
    CHECK(normal_cumulative(normal_quantile(u)) == doctest::Approx(u));
}

TEST_CASE("a distribution has the mean and the deviation that its numbers say, in SI") {
  const Distribution normal = spread("{normal: [20 mm, 3 mm]}");
  CHECK(mean(normal) == doctest::Approx(0.02));
  CHECK(deviation(normal) == doctest::Approx(0.003).epsilon(1e-3));
  const Distribution uniform = spread("{uniform: [-90 deg, 90 deg]}");
  CHECK(mean(uniform) == doctest::Approx(0).scale(1));
  CHECK(deviation(uniform) == doctest::Approx(pi / std::sqrt(12)));
  const Distribution triangular = spread("{triangular: [1 kg, 2 kg, 6 kg]}");
  CHECK(mean(triangular) == doctest::Approx(3));
  CHECK(deviation(triangular) == doctest::Approx(std::sqrt((1 + 4 + 36 - 2 - 6 - 12) / 18.0)));
  const Distribution factor = spread("{log_normal: [2 N*m, 20 %]}");
  CHECK(factor.quantile(0.5) == doctest::Approx(2));
  CHECK(mean(factor) == doctest::Approx(2 * std::exp(0.02)).epsilon(1e-5));
}

TEST_CASE("bounds cut a distribution off and leave the rest in proportion") {
  const Distribution cut = spread("{normal: [0 kg, 1 kg], between: [0 kg, 10 kg]}");
  CHECK(mean(cut) == doctest::Approx(std::sqrt(2 / pi)).epsilon(1e-4));  // half normal
  CHECK(cut.quantile(1e-16) >= 0);
}

TEST_CASE("choices come as often as their weights say") {
  const Distribution d = spread("{choices: [computed_torque, joint_pd, impedance], weights: [1, 2, 1]}");
  int counts[3] = {};
  for (int i = 0; i < 4000; ++i) ++counts[static_cast<int>(d.quantile((i + 0.5) / 4000))];
  CHECK((counts[0] == 1000 && counts[1] == 2000 && counts[2] == 1000));
  CHECK(d.choices()[1] == "joint_pd");
}

TEST_CASE("what cannot be is refused with its place") {
  const std::pair<const char*, const char*> bad[] = {{"{normal: [1 kg, -1 kg]}", "not positive"},
                                                     {"{normal: [1 kg, 0]}", "not positive"},
                                                     {"{uniform: [2, 1]}", "not below"},
                                                     {"{triangular: [0, 5, 1]}", "not in order"},
                                                     {"{log_normal: [-1 kg, 0.2]}", "are positive"},
                                                     {"{log_normal: [1 kg, 0.2 kg]}", "is not a quantity in rad"},
                                                     {"{uniform: [1 kg, 2 m]}", "mixes units"},
                                                     {"{uniform: [1 kg]}", "has 1 numbers"},
                                                     {"{uniform: [1, nan]}", "is not a finite number"},
                                                     {"{normal: [0, 1], between: [30, 40]}", "next to nothing"},
                                                     {"{choices: []}", "no choices"},
                                                     {"{choices: [a, b], weights: [1]}", "1 weights for 2 choices"},
                                                     {"{choices: [a, b], weights: [1, 0]}", "not positive"},
                                                     {"{gaussian: [0, 1]}", "gaussian"},
                                                     {"{normal: [0, 1], uniform: [0, 1]}", "two distributions"},
                                                     {"{}", "no distribution"}};
  for (const auto& [text, finding] : bad) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(spread(text), doctest::Contains(finding), FormatError);
    CHECK_THROWS_WITH_AS(spread(text), doctest::Contains("test.yaml:1"), FormatError);
  }
}
