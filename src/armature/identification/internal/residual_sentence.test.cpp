#include "armature/identification/internal/residual_sentence.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

namespace {

/// x_k = phi x_{k-1} + white noise, from its stationary distribution.
std::vector<double> autoregression(double phi, std::size_t samples, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(samples);
  double last = random.normal() / std::sqrt(1 - phi * phi);
  for (double& value : x) value = last = phi * last + random.normal();
  return x;
}

/// Of one joint, counted from 0, where those before it have white residuals.
std::string said_of(std::size_t joint, const Whiteness& whiteness) {
  std::vector<Whiteness> joints(joint + 1);
  joints[joint] = whiteness;
  return correlation_sentence(joints);
}

}  // namespace

TEST_CASE("white residuals are not spoken of, in short logs and in long ones") {
  int spoken = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    spoken += !said_of(0, whiteness(autoregression(0, 300, seed))).empty();
    if (seed <= 5) spoken += !said_of(0, whiteness(autoregression(0, 100000, seed))).empty();
  }
  CHECK(spoken == 0);
}

TEST_CASE("a correlation that is certain and costs nothing is not spoken of") {
  for (const double phi : {-0.02, 0.02, 0.05, -0.5}) {
    const Whiteness w = whiteness(autoregression(phi, 200000, 7));
    CHECK(w.chance < 0.01);
    CHECK(said_of(0, w) == "");
  }
}

TEST_CASE("the sentence says how many samples of an autoregression count as one: (1 + phi)/(1 - phi)") {
  for (const double phi : {0.3, 0.5, 0.8, 0.9}) {
    CAPTURE(phi);
    const std::string sentence = said_of(4, whiteness(autoregression(phi, 200000, 11)));
    const std::string begin = "Residuals of joint 5 are correlated (lag-1 autocorrelation ";
    REQUIRE(sentence.rfind(begin, 0) == 0);
    const double neighbours = std::atof(sentence.c_str() + begin.size());
    CHECK(std::abs(neighbours - phi) < 0.011);  // printed to a hundredth
    const std::string before = "about ";
    const double counted = std::atof(sentence.c_str() + sentence.find(before) + before.size());
    CHECK(counted == doctest::Approx((1 + phi) / (1 - phi)).epsilon(0.1));
  }
}

TEST_CASE("many samples are counted without powers of ten") {
  const std::string sentence = said_of(0, {.lag_one = 0.99, .correlated_over = 132.4, .chance = 0});
  CHECK(sentence.find("about 132 samples") != std::string::npos);
}

TEST_CASE("one sentence speaks of all joints whose residuals are correlated, from the least to the most") {
  const std::vector<Whiteness> joints{{.lag_one = 0.31, .correlated_over = 1.9, .chance = 0},
                                      {},
                                      {.lag_one = 0.87, .correlated_over = 14.2, .chance = 0}};
  CHECK(correlation_sentence(joints) ==
        "Residuals of joints 1, 3 are correlated (lag-1 autocorrelation 0.31 to 0.87): about 1.9 to 14 samples carry "
        "as much information as one; the intervals allow for that.");
}
