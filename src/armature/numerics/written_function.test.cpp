#include "armature/numerics/written_function.hpp"

#include <cmath>
#include <string>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/monotone_cubic.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/scalar/expr.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::numerics;

namespace {

/// Every function of the language, and the same by hand.
const std::string busy =
    "a = sqrt(2 + sin(x)) + exp(-x^2)/3   # a comment\n"
    "b = tan(x/4) + asin(x/5) + acos(x/5) + atan(x)\n"
    "y = a*b - abs(x - 3)^1.5 + atan2(x, 2) + tanh(x) - 2^-2 + 30*deg - pi";
double by_hand(double x) {
  const double a = std::sqrt(2 + std::sin(x)) + std::exp(-x * x) / 3;
  const double b = std::tan(x / 4) + std::asin(x / 5) + std::acos(x / 5) + std::atan(x);
  return a * b - std::pow(std::abs(x - 3), 1.5) + std::atan2(x, 2) + std::tanh(x) - 0.25 + 30 * deg - pi;
}

std::string refusal(const std::string& text) {
  try {
    const WrittenFunction f(text, "x", "y");
  } catch (const Error& e) {
    return e.finding();
  }
  return "";
}

}  // namespace

TEST_CASE("a written function is what it says, with its derivative, on numbers and on symbols") {
  const WrittenFunction f(busy, "x", "y");
  ExprGraph graph;
  const ExprScope scope(graph);
  const Expr x = graph.symbol("x");
  const Expr values[] = {f.value<Expr>(x), f.slope<Expr>(x)};
  for (double at = -4.3; at < 4.5; at += 0.37) {
    CAPTURE(at);
    CHECK(f.value<double>(at) == doctest::Approx(by_hand(at)).epsilon(1e-14));
    constexpr double h = 1e-6;
    const double difference = (by_hand(at + h) - by_hand(at - h)) / (2 * h);
    CHECK(f.slope<double>(at) == doctest::Approx(difference).epsilon(1e-6));
    const Dual dual = f.value<Dual>(Dual(at, 2));
    CHECK(dual.value == doctest::Approx(by_hand(at)).epsilon(1e-13));
    CHECK(dual.slope == doctest::Approx(2 * f.slope<double>(at)).epsilon(1e-12));
    const double second = (f.slope<double>(at + h) - f.slope<double>(at - h)) / (2 * h);
    CHECK(f.slope<Dual>(Dual(at, 1)).slope == doctest::Approx(second).epsilon(1e-5));
    const std::vector<double> traced = graph.evaluate(values, {{"x", at}});
    CHECK(traced[0] == doctest::Approx(by_hand(at)).epsilon(1e-12));
    CHECK(traced[1] == doctest::Approx(f.slope<double>(at)).epsilon(1e-12));
  }
}

TEST_CASE("texts that are no function are refused with what is wrong") {
  CHECK(refusal("x + z") == "'z' means nothing here");
  CHECK(refusal("y = z\nz = x") == "'z' means nothing here");
  CHECK(refusal("x = 2\ny = x") == "'x' has a meaning already");
  CHECK(refusal("pi = 3\ny = x") == "'pi' has a meaning already");
  CHECK(refusal("a = x") == "it does not end with a definition of 'y'");
  CHECK(refusal("a = b = x\ny = a") == "'a' is not defined by a formula alone");
  CHECK(refusal("± x") == "± leaves the sign open");
  CHECK(refusal("2^x") == "an exponent depends on x");
  CHECK(refusal("2 x") != "");
  CHECK(refusal("") != "");
  CHECK(refusal("log(x)") == "'log' is no function");
  std::string wide(20001, ' ');
  wide.back() = 'x';
  CHECK(refusal(wide) == "the formula has 20001 bytes");
  std::string deep = "x";
  for (int k = 0; k < 60; ++k) deep = "(1 + x*" + deep + ")";
  CHECK(refusal(deep) != "");
  std::string many;
  for (int k = 0; k < 40; ++k) many += "a" + std::to_string(k) + " = x\n";
  CHECK(refusal(many + "y = x") == "41 definitions");
}

TEST_CASE("definitions that double one another cost one evaluation each") {  // substituted they would be 2^30 terms
  std::string text = "a0 = x\n";
  for (int k = 1; k <= 30; ++k)
    text += "a" + std::to_string(k) + " = (a" + std::to_string(k - 1) + " + a" + std::to_string(k - 1) + ")/2\n";
  const WrittenFunction f(text + "y = a30", "x", "y");
  CHECK(f.value<double>(0.7) == 0.7);
}

TEST_CASE("a curve through points keeps to them and between them, and its integral is its own") {
  const std::vector<double> x{-1, -0.4, 0, 0.5, 2}, y{3, 3, 1, -2, -1.5};
  const MonotoneCubic curve(x, y);
  for (std::size_t k = 0; k < x.size(); ++k) CHECK(curve.value(x[k]) == doctest::Approx(y[k]).epsilon(1e-14));
  constexpr double h = 1e-6;
  for (double at = -1.495; at < 2.5; at += 0.01) {
    CAPTURE(at);
    std::size_t k = 0;
    while (k + 2 < x.size() && at > x[k + 1]) ++k;
    CHECK(curve.value(at) >= std::min(y[k], y[k + 1]) - 1e-12);
    CHECK(curve.value(at) <= std::max(y[k], y[k + 1]) + 1e-12);
    CHECK((curve.integral(at + h) - curve.integral(at - h)) / (2 * h) ==
          doctest::Approx(curve.value(at)).epsilon(1e-6));
    CHECK((curve.value(at + h) - curve.value(at - h)) / (2 * h) == doctest::Approx(curve.slope(at)).epsilon(1e-4));
    CHECK((curve.slope(at + h) - curve.slope(at - h)) / (2 * h) == doctest::Approx(curve.curvature(at)).epsilon(1e-4));
  }
  CHECK(curve.value(-9) == 3);
  CHECK(curve.value(9) == -1.5);
  CHECK(curve.integral(-1) == 0);
  const MonotoneCubic line({0, 1, 3}, {1, 3, 7});
  for (double at = 0; at <= 3; at += 0.1) CHECK(line.value(at) == doctest::Approx(1 + 2 * at).epsilon(1e-14));
}
