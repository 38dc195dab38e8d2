#include "armature/scalar/pack.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "armature/core/random.hpp"
#include "armature/scalar/sin_cos.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::scalar;

namespace {

/// Distance in units of the last place of `b`.
double ulps(double a, double b) {
  const double ulp = std::nextafter(std::abs(b), std::numeric_limits<double>::infinity()) - std::abs(b);
  return std::abs(a - b) / ulp;
}

}  // namespace

TEST_CASE("a pack's lanes compute what eight numbers would") {
  Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    Pack a, b;
    for (int i = 0; i < Pack::width; ++i) {
      a.set(i, random.normal());
      b.set(i, random.normal());
    }
    const Pack r = (a + b) * a / (b * b + 1) - sqrt(a * a) + atan2(a, b) - exp(a);
    for (int i = 0; i < Pack::width; ++i)
      CHECK(r[i] == (a[i] + b[i]) * a[i] / (b[i] * b[i] + 1) - std::sqrt(a[i] * a[i]) + std::atan2(a[i], b[i]) -
                        std::exp(a[i]));
  }
}

TEST_CASE("packed sine and cosine stay within 2 ulp of libm up to 1e5") {
  Random random(2);
  double worst = 0;
  for (const double range : {1e-8, 0.5, 4.0, 100.0, 1e5})
    for (int trial = 0; trial < 20000; ++trial) {
      Pack x;
      for (int i = 0; i < Pack::width; ++i) x.set(i, random.uniform(-range, range));
      const Pack s = sin(x), c = cos(x);
      for (int i = 0; i < Pack::width; ++i) {
        worst = std::max({worst, ulps(s[i], std::sin(x[i])), ulps(c[i], std::cos(x[i]))});
        REQUIRE(std::abs(s[i] * s[i] + c[i] * c[i] - 1) < 1e-15);
      }
    }
  CAPTURE(worst);
  CHECK(worst <= 2);
}

TEST_CASE("sines of one number, of several and of packs are the same, and libm's own from far away") {
  Random random(5);
  for (int count = 0; count <= 17; ++count)
    for (const double range : {1.0, 1e5, 1e9}) {
      std::vector<double> x(static_cast<std::size_t>(count)), s(x), c(x);
      for (double& a : x) a = random.uniform(-range, range);
      sin_cos(x.data(), count, s.data(), c.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(s[i] == sin(Pack(x[i]))[3]);
        CHECK(c[i] == cos(Pack(x[i]))[3]);
        CHECK(ulps(s[i], std::sin(x[i])) <= (std::abs(x[i]) > 1e5 ? 0 : 2));
        CHECK(ulps(c[i], std::cos(x[i])) <= (std::abs(x[i]) > 1e5 ? 0 : 2));
      }
    }
  const double odd[3] = {0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  double s[3], c[3];
  sin_cos(odd, 3, s, c);
  CHECK(s[0] == sin(Pack(0.5))[0]);
  CHECK(std::isnan(s[1]));
  CHECK(std::isnan(c[1]));
  CHECK(std::isnan(s[2]));
  CHECK(std::isnan(c[2]));
}

TEST_CASE("packed hyperbolic tangent: odd, 1 from far away, and within 3 ulp of what longer numbers give") {
  Random random(3);
  double worst = 0;
  for (const double range : {1e-300, 1e-8, 0.1, 0.5, 2.0, 25.0, 1e300})
    for (int trial = 0; trial < 20000; ++trial) {
      Pack x;
      for (int i = 0; i < Pack::width; ++i) x.set(i, random.uniform(-range, range));
      const Pack y = tanh(x), mirrored = tanh(-x);
      for (int i = 0; i < Pack::width; ++i) {
        const long double exact = std::tanh(static_cast<long double>(x[i]));
        const double size = std::abs(static_cast<double>(exact)),
                     ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
        worst = std::max(worst, static_cast<double>(std::abs(y[i] - exact)) / ulp);
        REQUIRE(y[i] == -mirrored[i]);
        REQUIRE(std::abs(y[i]) <= 1);
      }
    }
  CAPTURE(worst);
  CHECK(worst <= 3);
  const double infinity = std::numeric_limits<double>::infinity();
  Pack x(0.0);
  x.set(0, infinity);
  x.set(1, -infinity);
  x.set(2, std::nan(""));
  x.set(3, -0.0);
  x.set(4, -5e-324);
  x.set(5, 19.1);
  const Pack y = tanh(x);
  CHECK(y[0] == 1);
  CHECK(y[1] == -1);
  CHECK(std::isnan(y[2]));
  CHECK(std::signbit(y[3]));
  CHECK(y[4] == -5e-324);
  CHECK(y[5] == 1);
  CHECK(y[6] == 0);
}
