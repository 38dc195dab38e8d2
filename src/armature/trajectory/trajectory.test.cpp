#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/trajectory/joint_paths.hpp"

using namespace armature::trajectory;

static_assert(JointTrajectory<PolynomialPath> && JointTrajectory<FourierPath>);

namespace {

/// Velocity and acceleration are the derivatives of the position, away from the pieces' joints.
void check_derivatives(const PiecewisePolynomial& motion) {
  const double h = 1e-5 * motion.duration();
  for (double share = 0.013; share < 1; share += 0.0371) {
    const double t = share * motion.duration();
    const ScalarMotion m = motion.at(t), before = motion.at(t - h), after = motion.at(t + h);
    CHECK(m.v == doctest::Approx((after.x - before.x) / (2 * h)).epsilon(1e-5).scale(0.1));
    CHECK(m.a == doctest::Approx((after.v - before.v) / (2 * h)).epsilon(1e-5).scale(0.1));
  }
}

}  // namespace

TEST_CASE("a polynomial step goes from 0 to 1 and is as flat at its ends as its order says") {
  for (const int order : {3, 5, 7}) {
    const PiecewisePolynomial step = polynomial_step(order, 2.5);
    check_derivatives(step);
    for (const double t : {0.0, 2.5}) {
      const ScalarMotion m = step.at(t);
      CHECK(m.x == doctest::Approx(t / 2.5));
      CHECK(std::abs(m.v) < 1e-12);
      if (order >= 5) CHECK(std::abs(m.a) < 1e-12);
      if (order >= 7) CHECK(std::abs(m.j) < 1e-12);
    }
    CHECK(step.at(99).x == doctest::Approx(1));
    CHECK(step.at(99).v == 0);
    CHECK(step.at(-1).x == 0);
  }
  CHECK_THROWS_AS(polynomial_step(4, 1), Error);
  CHECK_THROWS_AS(polynomial_step(5, 0), Error);
}

TEST_CASE("the fastest step arrives at rest, keeps every limit and touches one") {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const double distance = random.uniform(-1, 1) * std::pow(10, random.uniform(-3, 1));
    ProfileLimits limits{random.uniform(0.1, 3), random.uniform(0.1, 10), trial % 3 ? random.uniform(1, 100) : 0.0};
    const PiecewisePolynomial motion = fastest_step(distance, limits);
    const ScalarMotion end = motion.at(motion.duration());
    CHECK(end.x == doctest::Approx(distance).epsilon(1e-9));
    CHECK(std::abs(end.v) < 1e-9);
    double v = 0, a = 0, j = 0, jump = 0;
    ScalarMotion last = motion.at(0);
    const int samples = 2000;
    for (int i = 0; i <= samples; ++i) {
      const ScalarMotion m = motion.at(motion.duration() * i / samples);
      v = std::max(v, std::abs(m.v));
      a = std::max(a, std::abs(m.a));
      j = std::max(j, std::abs(m.j));
      jump = std::max(jump, std::abs(m.a - last.a));
      last = m;
    }
    CHECK(v <= limits.velocity * (1 + 1e-9));
    CHECK(a <= limits.acceleration * (1 + 1e-9));
    if (limits.jerk > 0) {
      CHECK(j <= limits.jerk * (1 + 1e-9));
      CHECK(jump <= limits.jerk * motion.duration() / samples * (1 + 1e-6));  // acceleration is continuous
    } else {
      CHECK(a == doctest::Approx(limits.acceleration));
    }
    const bool touches =
        v > limits.velocity * (1 - 1e-6) || a > limits.acceleration * (1 - 1e-6) || j > limits.jerk * (1 - 1e-6);
    CHECK(touches);
  }
}

TEST_CASE("with a large jerk limit the S-curve takes as long as the trapezoid") {
  const double trapezoid = fastest_step(0.7, {0.5, 2, 0}).duration();
  CHECK(trapezoid == doctest::Approx(0.7 / 0.5 + 0.5 / 2));
  CHECK(fastest_step(0.7, {0.5, 2, 1e6}).duration() == doctest::Approx(trapezoid).epsilon(1e-5));
}

TEST_CASE("splines go through their waypoints with the continuity they promise") {
  const std::vector<double> t{0, 0.4, 0.5, 1.3, 2}, x{0, 1, -0.5, 0.3, 2};
  const PiecewisePolynomial cubic = cubic_spline(t, x), quintic = quintic_spline(t, x);
  for (const PiecewisePolynomial* spline : {&cubic, &quintic}) {
    check_derivatives(*spline);
    for (std::size_t i = 0; i < t.size(); ++i) CHECK(spline->at(t[i]).x == doctest::Approx(x[i]));
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
      const ScalarMotion before = spline->at(t[i] - 1e-9), after = spline->at(t[i] + 1e-9);
      CHECK(before.v == doctest::Approx(after.v).epsilon(1e-5));
      CHECK(before.a == doctest::Approx(after.a).epsilon(1e-5));
      if (spline == &quintic) CHECK(before.j == doctest::Approx(after.j).epsilon(1e-4));
    }
    CHECK(std::abs(spline->at(0).v) < 1e-12);
    CHECK(std::abs(spline->at(2).v) < 1e-9);
  }
  CHECK(std::abs(quintic.at(2).a) < 1e-8);
  CHECK_THROWS_AS(cubic_spline({0, 0}, {1, 2}), Error);
}

TEST_CASE("samples of a quintic with their rates give it back, and without accelerations a cubic") {
  const std::vector<double> t{0, 0.2, 0.7, 0.8, 1.5};
  for (const int order : {3, 5}) {
    const auto sampled = [order](double s) {  // 1 - 2 s + 3 s² - s³ (+ 0.5 s⁴ - 0.25 s⁵)
      const double quick = order == 5;
      return ScalarMotion{1 + s * (-2 + s * (3 + s * (-1 + quick * s * (0.5 - 0.25 * s)))),
                          -2 + s * (6 + s * (-3 + quick * s * (2 - 1.25 * s))), 6 + s * (-6 + quick * s * (6 - 5 * s)),
                          -6 + quick * s * (12 - 15 * s)};
    };
    std::vector<double> x, v, a;
    for (const double s : t) {
      x.push_back(sampled(s).x);
      v.push_back(sampled(s).v);
      a.push_back(sampled(s).a);
    }
    const PiecewisePolynomial again = order == 5 ? through_samples(t, x, v, a) : through_samples(t, x, v);
    check_derivatives(again);
    for (double s = 0.01; s < 1.5; s += 0.07) {
      CHECK(again.at(s).x == doctest::Approx(sampled(s).x));
      CHECK(again.at(s).v == doctest::Approx(sampled(s).v));
      CHECK(again.at(s).a == doctest::Approx(sampled(s).a));
      CHECK(again.at(s).j == doctest::Approx(sampled(s).j));
    }
    CHECK_THROWS_AS(through_samples(t, x, {1, 2}), Error);
  }
}

TEST_CASE("joints that move together arrive together, each within its limits") {
  VecX<double> from(3), to(3);
  from << 0, 1, -1;
  to << 1, 1, 2;
  const PolynomialPath path = fastest_move(from, to, {{1, 2, 0}, {1, 2, 0}, {1, 2, 10}});
  JointMotion m;
  path.at(path.duration(), m);
  CHECK((m.q - to).norm() < 1e-12);
  CHECK(m.qd.norm() < 1e-9);
  path.at(path.duration() / 2, m);
  CHECK(m.q[1] == 1);
  CHECK((m.q - (from + to) / 2).norm() < 1e-9);
}

TEST_CASE("a Fourier path is periodic and its velocity and acceleration are derivatives") {
  Random random(2);
  std::vector<FourierPath::Joint> joints(2);
  for (auto& joint : joints)
    for (int k = 0; k < 100; ++k) {
      joint.sine.push_back(random.normal());
      joint.cosine.push_back(random.normal());
    }
  const FourierPath path(0.1, joints);
  JointMotion m, before, after, later;
  for (const double t : {0.3, 4.7, 9.1}) {
    const double h = 1e-6;
    path.at(t, m);
    path.at(t - h, before);
    path.at(t + h, after);
    path.at(t + path.duration(), later);
    CHECK((m.q - later.q).norm() < 1e-10);
    CHECK(((after.q - before.q) / (2 * h) - m.qd).norm() < 1e-5 * m.qd.norm());
    CHECK(((after.qd - before.qd) / (2 * h) - m.qdd).norm() < 1e-5 * m.qdd.norm());
  }
}
