#include "armature/scalar/expr.hpp"

#include <cmath>
#include <numbers>

#include "armature/scalar/matrix.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::scalar;

static_assert(Scalar<Expr>);

TEST_CASE("every rewrite rule of the table holds") {
  ExprGraph graph;
  const ExprScope scope(graph);
  const Expr E = graph.symbol("E"), F = graph.symbol("F"), a = graph.symbol("a"), b = graph.symbol("b");
  const double c = 3, d = 4;
  const Expr s = sin(a), k = cos(a), sb = sin(b), kb = cos(b);
  constexpr double pi = std::numbers::pi;

  SUBCASE("numbers") {
    CHECK(Expr(c) + Expr(d) == Expr(7));
    CHECK(Expr(c) - Expr(d) == Expr(-1));
    CHECK(Expr(c) * Expr(d) == Expr(12));
    CHECK(Expr(c) / Expr(d) == Expr(0.75));
    CHECK(sin(Expr(c)) == Expr(std::sin(c)));
    CHECK(sqrt(Expr(d)) == Expr(2));
    CHECK(atan2(Expr(c), Expr(d)) == Expr(std::atan2(c, d)));
  }
  SUBCASE("zero") {
    CHECK(E + 0. == E);
    CHECK(0. - E == -E);
    CHECK(0. * E == Expr());
    CHECK(0. / E == Expr());
  }
  SUBCASE("one") {
    CHECK(1. * E == E);
    CHECK(-1. * E == -E);
    CHECK(E / d == 0.25 * E);
    CHECK(E / E == Expr(1));
  }
  SUBCASE("sign") {
    CHECK(-(-E) == E);
    CHECK(E + (-F) == E - F);
    CHECK(E - (-F) == E + F);
    CHECK(-E - F == -(E + F));
    CHECK((-E) * F == -(E * F));
    CHECK((-E) / F == -(E / F));
    CHECK(-c * E == -(c * E));
  }
  SUBCASE("factor") {
    CHECK(c * (d * E) == 12. * E);
    CHECK((c * E) * F == c * (E * F));
    CHECK((c * E) / F == c * (E / F));
  }
  SUBCASE("like terms") {
    CHECK(E - E == Expr());
    CHECK(E + E == 2. * E);
    CHECK(c * E + d * E == 7. * E);
    CHECK(c * E - d * E == -E);
    CHECK((E + c) + d == E + 7.);
    CHECK(c - (E + d) == -1. - E);
  }
  SUBCASE("undoing") {
    CHECK((E + F) - F == E);
    CHECK(E - (E + F) == -F);
    CHECK((E - F) + F == E);
    CHECK(E - (E - F) == F);
    CHECK((E - F) - E == -F);
  }
  SUBCASE("circle") {
    CHECK(E * s * s + k * E * k == E);
    CHECK(E - E * s * s == E * (k * k));
    CHECK(E - E * k * k == E * (s * s));
    CHECK(2. - 2. * s * s == 2. * k * k);
  }
  SUBCASE("angle sum") {
    CHECK(E * s * kb + k * (E * sb) == E * sin(a + b));
    CHECK(s * kb - k * sb == sin(a - b));
    CHECK(k * kb - s * sb == cos(a + b));
    CHECK(s * sb - k * kb == -cos(a + b));
    CHECK(k * kb + s * sb == cos(a - b));
  }
  SUBCASE("parity") {
    CHECK(sin(-E) == -sin(E));
    CHECK(cos(-E) == cos(E));
    CHECK(tanh(-E) == -tanh(E));
    CHECK(abs(-E) == abs(E));
  }
  SUBCASE("quadrant") {
    CHECK(sin(E + pi / 2) == cos(E));
    CHECK(cos(E + pi / 2) == -sin(E));
    CHECK(sin(E - pi) == -sin(E));
    CHECK(cos(pi / 2 - E) == sin(E));
    CHECK(sin(E + 1.) != cos(E));
  }
  SUBCASE("order") {
    CHECK(E + F == F + E);
    CHECK(E * F == F * E);
    CHECK(E - F == -(F - E));
  }
}

TEST_CASE("an expression has the value of the computation that made it") {
  const auto compute = [](auto x, auto y) {
    using std::abs;
    const auto t = sin(x) * cos(y) - sqrt(x * x + 1.) / (2. + y);
    const auto u = tanh(t) - exp(-x) * atan2(y, x + 3.) + abs(t - 7.);
    return t * u - (t - u) + 3. * t - t / 5. + cos(x - 1.5) * (x - x * cos(y) * cos(y));
  };
  ExprGraph graph;
  const ExprScope scope(graph);
  const Expr e = compute(graph.symbol("x"), graph.symbol("y"));
  for (const double x : {-1.3, 0.2, 0.9})
    for (const double y : {-0.4, 0., 2.1}) {
      const double value = graph.evaluate(std::span(&e, 1), {{"x", x}, {"y", y}})[0];
      CHECK(value == doctest::Approx(compute(x, y)).epsilon(1e-14));
    }
}

TEST_CASE("Eigen's small matrices work on expressions and rotations about one axis merge") {
  ExprGraph graph;
  const ExprScope scope(graph);
  const auto turn = [](Expr q) {
    Mat3<Expr> R = Mat3<Expr>::Identity();
    R(0, 0) = R(1, 1) = cos(q);
    R(1, 0) = sin(q);
    R(0, 1) = -sin(q);
    return R;
  };
  const Expr q1 = graph.symbol("q1"), q2 = graph.symbol("q2"), q3 = graph.symbol("q3");
  const Mat3<Expr> R = turn(q1) * turn(q2) * turn(q3), direct = turn(q1 + q2 + q3);
  for (int i = 0; i < 9; ++i) CHECK(graph.text(R(i)) == graph.text(direct(i)));
  const Mat3<Expr> unit = turn(q1).transpose() * turn(q1);
  for (int i = 0; i < 9; ++i) CHECK(unit(i) == Expr(i % 4 == 0 ? 1 : 0));
}

TEST_CASE("the text of an expression does not depend on the age of its parts") {
  const auto text = [](bool swapped) {
    ExprGraph graph;
    const ExprScope scope(graph);
    const Expr first = graph.symbol(swapped ? "y" : "x"), second = graph.symbol(swapped ? "x" : "y");
    const Expr x = swapped ? second : first, y = swapped ? first : second;
    return graph.text(sin(x + y) * (x - y) + y * x * 3. - cos(y) / x);
  };
  CHECK(text(false) == text(true));
}

TEST_CASE("an expression outside of any graph is refused, and so is a symbol without a value") {
  CHECK_THROWS_WITH(Expr(2.5), "an expression was built outside of any graph\n  hint: open an ExprScope first");
  ExprGraph graph;
  const ExprScope scope(graph);
  const Expr e = graph.symbol("speed") * 2.;
  CHECK_THROWS_WITH((void)graph.evaluate(std::span(&e, 1), {}), "the symbol 'speed' has no value");
}
