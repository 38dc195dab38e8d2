#include "armature/numerics/quadrature.hpp"

#include <cmath>

#include "armature/testing/doctest.hpp"

using namespace armature::numerics;

TEST_CASE("Gauss and Legendre's rule with n points integrates polynomials up to degree 2 n - 1, and no further") {
  for (int n = 1; n <= 12; ++n) {
    const Quadrature rule = gauss_legendre(n);
    const auto integral = [&](int degree) {
      double sum = 0;
      for (std::size_t i = 0; i < rule.at.size(); ++i) sum += rule.weight[i] * std::pow(rule.at[i], degree);
      return sum;
    };
    for (int degree = 0; degree < 2 * n; ++degree)
      CHECK(integral(degree) == doctest::Approx(1.0 / (degree + 1)).epsilon(1e-13));
    if (n < 6) CHECK(std::abs(integral(2 * n) * (2 * n + 1) - 1) > 1e-9);
  }
}
