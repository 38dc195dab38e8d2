#include "armature/codegen/equations/singularities.hpp"

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>

#include "armature/algorithms/jacobian.hpp"
#include "armature/codegen/equations/internal/named_arm.hpp"
#include "armature/codegen/equations/internal/trig_factor.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::codegen;

namespace {

std::vector<std::string> factors(const Singularities& s) {
  std::vector<std::string> list;
  for (const auto& f : s.factors) list.push_back(text(*f.formula));
  return list;
}

// How far the factored determinant is from that of the library's Jacobian, in the arm with other lengths.
double error(const Arm& arm, const Singularities& s) {
  Random random(3);
  double worst = 0;
  for (int k = 0; k < 10; ++k) {
    NamedValues values = random_lengths(arm, random);
    const Arm instance = with_values(arm, values);
    const VecX<double> q = testing::random_vector(arm.dof(), random, 3);
    const auto J = tool_jacobian<double>(instance, forward_kinematics<double>(instance, q));
    const int n = arm.dof();
    Eigen::MatrixXd square(n, n);
    for (int i = 0; i < n; ++i) square.row(i) = J.row(s.rows[i]);
    for (int i = 0; i < n; ++i) values[fmt::format("q{}", i + 1)] = q[i];
    std::vector<double> slots;
    const CompiledFormula f(*s.determinant(), [&](const Formula& name) {
      slots.push_back(values.at(name.name));
      return static_cast<int>(slots.size()) - 1;
    });
    const double expected = square.determinant();
    worst = std::max(worst, std::abs(f(slots.data()) - expected) / std::max(1., std::abs(expected)));
  }
  return worst;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("the determinant of the RPR arm is a4 (d3 + q2) cos q3") {
  const Singularities s = singularities(catalogue_arm("rpr"));
  CHECK(factors(s) == Words{"a4", "d3 + q2", "cos(q3)"});
  CHECK(std::abs(s.number) == 1);
  CHECK(s.factors[1].where == "q2 = -d3");
  CHECK(s.factors[2].where == "q3 = 90 or -90 deg");
}

TEST_CASE("the determinant of the planar arm is a1 a2 sin q2") {
  const Singularities s = singularities(catalogue_arm("planar3r"));
  CHECK(text(*s.determinant()) == "a1*a2*sin(q2)");
  CHECK(s.rows == std::vector<int>{0, 1, 5});
  CHECK(s.factors[2].where == "q2 = 0 or 180 deg");
  CHECK(s.factors[2].meaning == "joints 1, 2 and 3 can move together while the tool stands still");
}

TEST_CASE("the RRR arm is singular stretched, folded, and with the tool above its first axis") {
  const Singularities s = singularities(catalogue_arm("rrr"));
  CHECK(factors(s) == Words{"a2", "a3", "sin(q3)", "a2*cos(q2) + a3*cos(q2 + q3)"});
  CHECK(s.factors[2].meaning == "joints 2 and 3 move the tool along the same line");
}

TEST_CASE("six axes: the determinant falls into shoulder, elbow and wrist") {
  for (const char* name : {"ur5", "puma560", "tx40"}) {
    const Singularities s = singularities(catalogue_arm(name));
    CAPTURE(name);
    CAPTURE(text(*s.determinant()));
    int moving = 0;
    for (const auto& f : s.factors) moving += !f.where.empty();
    CHECK(moving == 3);
    CHECK(error(catalogue_arm(name), s) < 1e-9);
  }
}

TEST_CASE("the factors multiply to the determinant of the library's Jacobian") {
  for (const char* name : {"rrr", "rrr_generic", "rpr", "planar3r"})
    CHECK(error(catalogue_arm(name), singularities(catalogue_arm(name))) < 1e-9);
  Random random(5);
  for (int k = 0; k < 10; ++k) {
    const Arm arm = testing::random_arm(3, random);
    const Singularities s = singularities(arm, std::vector<int>{0, 1, 2});
    CAPTURE(k);
    CHECK(error(arm, s) < 1e-9);
  }
  CHECK(error(catalogue_arm("asea2"), singularities(catalogue_arm("asea2"), std::vector<int>{0, 2})) < 1e-9);
}

TEST_CASE("what cannot be chosen or does not fit is asked for") {
  CHECK_THROWS_WITH_AS(
      singularities(catalogue_arm("asea2")),
      "which 2 rows of the Jacobian of 'asea2' are meant?\n  hint: say --rows with as many as there are "
      "joints, of x y z rx ry rz",
      Error);
  CHECK_THROWS_WITH_AS(
      singularities(catalogue_arm("panda")),
      "which 7 rows of the Jacobian of 'panda' are meant?\n  hint: an arm with more than six joints has no "
      "square Jacobian",
      Error);
  CHECK_THROWS_WITH_AS(singularities(catalogue_arm("rrr"), std::vector<int>{0}),
                       "1 rows for 3 joints\n  hint: a determinant needs as many rows as joints", Error);
}

TEST_CASE("a sine or a cosine divides what it was multiplied with, and nothing else") {
  const TrigPoly s = TrigPoly::sin_of(0), c = TrigPoly::cos_of(0), x = TrigPoly::symbol(0);
  const TrigPoly::Angle q1{1};
  const TrigPoly f = x * TrigPoly::cos_of(1) + TrigPoly(2) * s + TrigPoly(3);
  CHECK((divided_by_turn(f * s, q1, true) == f));
  CHECK((divided_by_turn(f * c, q1, false) == f));
  CHECK(!divided_by_turn(f, q1, true).has_value());
  CHECK(!divided_by_turn(f * s, q1, false).has_value());
}
