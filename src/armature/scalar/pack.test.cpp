#include "armature/scalar/pack.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "armature/core/random.hpp"

using namespace armature;

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
    for (int i = 0; i < Pack::width; ++i) a.set(i, random.normal()), b.set(i, random.normal());
    const Pack r = (a + b) * a / (b * b + 1) - sqrt(a * a) + atan2(a, b) - tanh(-exp(a));
    for (int i = 0; i < Pack::width; ++i)
      CHECK(r[i] == (a[i] + b[i]) * a[i] / (b[i] * b[i] + 1) - std::sqrt(a[i] * a[i]) + std::atan2(a[i], b[i]) -
                        std::tanh(-std::exp(a[i])));
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
