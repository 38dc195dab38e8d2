#include "armature/trajectory/cartesian.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/spatial/pose.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::trajectory;

static_assert(CartesianTrajectory<CartesianMove>);

namespace {

using Vector = Vec3<double>;
constexpr double pi = std::numbers::pi;

Vector random_vector(Random& random, double scale = 1) {
  return scale * Vector(random.normal(), random.normal(), random.normal());
}
Mat3<double> random_rotation(Random& random) {
  return rotation_from_quaternion({random.normal(), random.normal(), random.normal(), random.normal()});
}
Vector random_direction(Random& random) { return random_vector(random).normalized(); }

CartesianMotion at(const CartesianMove& move, double t) {
  CartesianMotion motion;
  move.at(t, motion);
  return motion;
}

/// Central difference of fourth order.
template <class F>
auto derivative(const F& f, double t, double h) {
  using Value = decltype(f(t));
  return Value((8 * (f(t + h) - f(t - h)) - (f(t + 2 * h) - f(t - 2 * h))) / (12 * h));
}

/// Velocities and accelerations, linear and angular, are the derivatives of position and orientation.
void check_derivatives(const CartesianMove& move, double t) {
  const double h = 2e-4 * move.duration();
  const CartesianMotion m = at(move, t);
  const auto close = [](const auto& a, const auto& b) { return (a - b).norm() < 1e-8 * std::max(1.0, b.norm()); };
  CHECK(close(derivative([&](double u) { return at(move, u).position; }, t, h), m.velocity));
  CHECK(close(derivative([&](double u) { return at(move, u).velocity; }, t, h), m.acceleration));
  const Mat3<double> Rd = derivative([&](double u) { return at(move, u).rotation; }, t, h);
  CHECK(close(Rd, Mat3<double>(skew(m.angular_velocity) * m.rotation)));
  CHECK(close(derivative([&](double u) { return at(move, u).angular_velocity; }, t, h), m.angular_acceleration));
}

}  // namespace

TEST_CASE("a line goes straight, its speed follows the law and it rests at both ends") {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector a = random_vector(random), b = random_vector(random);
    const Curve curve = line(a, b);
    CHECK(curve.length() == doctest::Approx((b - a).norm()).epsilon(1e-14));
    const PiecewisePolynomial law = polynomial_step(5, 1.7);
    const CartesianMove move(curve, law, {random_rotation(random), random_rotation(random)});
    for (const double t : {0.11, 0.6, 1.2, 1.55}) {
      const CartesianMotion m = at(move, t);
      CHECK((m.position - (a + law.at(t).x * (b - a))).norm() < 1e-14);
      CHECK((m.velocity - law.at(t).v * (b - a)).norm() < 1e-13);
      check_derivatives(move, t);
    }
    for (const double t : {0.0, 1.7, -1.0, 9.0}) {
      const CartesianMotion m = at(move, t);
      CHECK((m.position - (t > 0 ? b : a)).norm() < 1e-13);
      CHECK(m.velocity.norm() + m.acceleration.norm() + m.angular_velocity.norm() < 1e-12);
    }
  }
}

TEST_CASE("an arc keeps its distance from the centre, stays in its plane and turns by its angle") {
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector centre = random_vector(random), axis = random_vector(random), start = random_vector(random);
    const double angle = random.uniform(-7, 7);
    const Curve curve = arc_about(centre, axis, start, angle);
    const double from_axis = axis.normalized().cross(start - centre).norm();
    CHECK(curve.length() == doctest::Approx(std::abs(angle) * from_axis));
    const CartesianMove move(curve, fastest_step(1, {2, 9, 60}));
    double travelled = 0;
    Vector last = at(move, 0).position;
    for (int i = 0; i <= 2000; ++i) {
      const CartesianMotion m = at(move, move.duration() * i / 2000);
      CHECK((m.position - centre).norm() == doctest::Approx((start - centre).norm()).epsilon(1e-13));
      CHECK(std::abs(axis.normalized().dot(m.position - start)) < 1e-13);
      CHECK(std::abs(m.velocity.dot(m.position - centre)) < 1e-12);
      travelled += (m.position - last).norm();
      last = m.position;
    }
    CHECK(travelled == doctest::Approx(curve.length()).epsilon(1e-4));  // chords
    const Vector end = centre + exp_map(Vector(axis.normalized() * angle)) * (start - centre);
    CHECK((curve.at(curve.length()).position - end).norm() < 1e-13);
  }
}

TEST_CASE("an arc through three points passes them in order, on the circle they were taken from") {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Pose<double> X{random_rotation(random), random_vector(random)};
    const double radius = std::pow(10, random.uniform(-3, 1));
    double to = random.uniform(0.05, 6.25);
    const double via = to * random.uniform(0.1, 0.9);
    const auto on_circle = [&](double angle) {
      return Vector(X * Vector(radius * std::cos(angle), radius * std::sin(angle), 0));
    };
    const Curve arc = arc_through(on_circle(0), on_circle(via), on_circle(to));
    CHECK(arc.length() == doctest::Approx(radius * to).epsilon(1e-8));
    CHECK((arc.at(0).position - on_circle(0)).norm() < 1e-14);
    CHECK((arc.at(radius * via).position - on_circle(via)).norm() < 1e-8 * radius);
    CHECK((arc.at(arc.length()).position - on_circle(to)).norm() < 1e-8 * radius);

    const Curve circle = circle_through(on_circle(0), on_circle(via), on_circle(to));
    CHECK(circle.length() == doctest::Approx(2 * pi * radius).epsilon(1e-8));
    CHECK((circle.at(circle.length()).position - circle.at(0).position).norm() < 1e-13 * std::max(1.0, radius));
    CHECK((circle.at(radius * to).position - on_circle(to)).norm() < 1e-8 * radius);
  }
}

TEST_CASE("velocity and acceleration of arcs are the derivatives, whatever the law") {
  Random random(4);
  const std::vector<PiecewisePolynomial> laws{polynomial_step(3, 1), polynomial_step(7, 2), fastest_step(1, {1, 4, 0}),
                                              fastest_step(1, {0.8, 3, 20}), cubic_spline({0, 0.4, 1}, {0, 0.7, 1})};
  for (const PiecewisePolynomial& law : laws) {
    const CartesianMove move(arc_through(random_vector(random), random_vector(random), random_vector(random)), law,
                             {random_rotation(random), random_rotation(random)});
    for (const double share : {0.017, 0.113, 0.31, 0.47, 0.59, 0.83, 0.981}) {
      const double t = share * law.duration();
      check_derivatives(move, t);
      CHECK(at(move, t).velocity.norm() == doctest::Approx(move.curve().length() * std::abs(law.at(t).v)));
    }
  }
}

TEST_CASE("the orientation goes the shortest way, about one axis, at a rate proportional to the law") {
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const Mat3<double> from = random_rotation(random);
    const Vector axis = random_direction(random);
    const double angle = trial == 0 ? 0.0 : trial == 1 ? pi - 1e-9 : random.uniform(0, pi);
    const Mat3<double> to = exp_map(Vector(angle * axis)) * from;
    const CartesianMove move(line(Vector::Zero(), Vector::Zero()), polynomial_step(5, 1), {from, to});
    CHECK((at(move, 1).rotation - to).norm() < 1e-14);
    for (const double t : {0.2, 0.5, 0.9}) {
      const CartesianMotion m = at(move, t);
      const ScalarMotion share = polynomial_step(5, 1).at(t);
      CHECK((m.rotation - exp_map(Vector(share.x * angle * axis)) * from).norm() < 1e-8);
      CHECK((m.angular_velocity - share.v * angle * axis).norm() < 1e-7);
      CHECK((m.angular_acceleration - share.a * angle * axis).norm() < 1e-7);
      CHECK(orthogonality_error(m.rotation) < 1e-14);
      CHECK(m.velocity.norm() == 0);
    }
  }
  const Mat3<double> half = rotation_x(pi);  // exactly half a turn: either way is shortest, but it must arrive
  CHECK(
      (at(CartesianMove(line(Vector::Zero(), Vector::Zero()), polynomial_step(5, 1), {Mat3<double>::Identity(), half}),
          1)
           .rotation -
       half)
          .norm() < 1e-14);
}

TEST_CASE("a blended polyline cuts each corner by an arc that touches both sides") {
  Random random(6);
  for (int trial = 0; trial < 50; ++trial) {
    const double zone = 0.1;
    std::vector<Vector> points{Vector::Zero()};
    for (int i = 0; i < 5; ++i)  // sides at least as long as two zones
      points.push_back(points.back() + (i == 2 ? 2 * zone : 0.2 + random.uniform()) * random_direction(random));
    const Curve curve = blended_polyline(points, zone);
    double length = 0;
    std::vector<std::pair<double, double>> arcs;  // where each begins and its radius
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Vector side = points[i] - points[i - 1];
      length += side.norm() - (i > 1 ? zone : 0) - (i + 1 < points.size() ? zone : 0);
      if (i + 1 == points.size()) continue;
      const Vector next = points[i + 1] - points[i];
      const double delta = std::acos(side.normalized().dot(next.normalized())), radius = zone / std::tan(delta / 2);
      CHECK((curve.at(length).position - (points[i] - zone * side.normalized())).norm() < 1e-7);
      CHECK((curve.at(length + radius * delta / 2).position - points[i]).norm() ==
            doctest::Approx(radius / std::cos(delta / 2) - radius).epsilon(1e-6));
      arcs.emplace_back(length, radius);
      length += radius * delta;
    }
    CHECK(curve.length() == doctest::Approx(length).epsilon(1e-7));
    CHECK((curve.at(curve.length()).position - points.back()).norm() < 1e-12);
    double step = 1e-5, position_jump = 0, turn = 0;  // neither place nor direction jumps anywhere
    double sharpest = 0;
    for (const auto& [begin, radius] : arcs) sharpest = std::max(sharpest, 1 / radius);
    for (double s = 0; s < curve.length(); s += step) {
      position_jump = std::max(position_jump, (curve.at(s + step).position - curve.at(s).position).norm());
      turn = std::max(turn, (curve.at(s + step).tangent - curve.at(s).tangent).norm());
    }
    CHECK(position_jump <= step * (1 + 1e-9));
    CHECK(turn <= step * sharpest * (1 + 1e-6));

    const CartesianMove move(curve, polynomial_step(5, 3), {random_rotation(random), random_rotation(random)});
    for (const double t : {0.7, 1.1, 1.5, 1.9}) {  // the acceleration across the path is v²/r on an arc, 0 on a side
      const CartesianMotion m = at(move, t);
      const Vector across = m.acceleration - m.acceleration.dot(m.velocity) / m.velocity.squaredNorm() * m.velocity;
      const double s = curve.length() * polynomial_step(5, 3).at(t).x;
      double expected = 0;
      for (const auto& [begin, radius] : arcs)
        if (s >= begin && s < begin + radius * 2 * std::atan(zone / radius))
          expected = m.velocity.squaredNorm() / radius;
      CHECK(across.norm() == doctest::Approx(expected).epsilon(1e-6).scale(1e-3));
    }
  }
}

TEST_CASE("a polyline of points on a line is that line") {
  const Curve curve = blended_polyline({Vector(0, 0, 0), Vector(1, 1, 0), Vector(3, 3, 0)}, 0.2);
  CHECK(curve.length() == doctest::Approx(std::sqrt(18.0)));
  CHECK((curve.at(std::sqrt(2.0)).position - Vector(1, 1, 0)).norm() < 1e-14);
}

TEST_CASE("zones that just meet leave no side between the arcs") {
  const Curve curve =
      blended_polyline({Vector(0, 0, 0), Vector(0.1, 0, 0), Vector(0.1, 0.2, 0), Vector(0, 0.2, 0)}, 0.1);
  CHECK(curve.length() == doctest::Approx(0.1 * pi));  // half a circle
  for (double s = 0; s <= curve.length(); s += 0.01)
    CHECK((curve.at(s).position - Vector(0, 0.1, 0)).norm() == doctest::Approx(0.1));
}

TEST_CASE("impossible paths are refused with a reason") {
  const Vector o = Vector::Zero(), x(1, 0, 0), y(0, 1, 0);
  CHECK_THROWS_WITH_AS(arc_through(o, x, Vector(2, 0, 0)),
                       "no circle goes through (0, 0, 0), (1, 0, 0) and (2, 0, 0): they lie on a line\n"
                       "  hint: use a line, or move the middle point",
                       Error);
  CHECK_THROWS_AS(arc_through(o, x, x), Error);
  CHECK_THROWS_AS(circle_through(o, x, o), Error);
  CHECK_THROWS_WITH_AS(arc_about(o, x, Vector(3, 0, 0), 1), doctest::Contains("lies on its axis"), Error);
  CHECK_THROWS_AS(arc_about(o, o, y, 1), Error);
  CHECK_THROWS_AS(arc_about(o, x, y, 0), Error);
  CHECK_THROWS_AS(arc_about(o, x, y, INFINITY), Error);
  CHECK_THROWS_AS(line(o, Vector(NAN, 0, 0)), Error);
  CHECK_THROWS_WITH_AS(blended_polyline({o, x, Vector(1, 0.15, 0), Vector(2, 0, 0)}, 0.1),
                       "side 2 of the polyline is 0.15 m long, its corners need 0.2 m\n"
                       "  hint: make the blending zone smaller",
                       Error);
  CHECK_THROWS_WITH_AS(blended_polyline({o, x, o}, 0.1), doctest::Contains("turns back on itself at point 2"), Error);
  CHECK_THROWS_WITH_AS(blended_polyline({o, x, x}, 0.1), doctest::Contains("point 3 of the polyline repeats"), Error);
  CHECK_THROWS_AS(blended_polyline({o, x}, 0), Error);
  CHECK_THROWS_AS(blended_polyline({o}, 0.1), Error);
  CHECK_THROWS_AS(CartesianMove(line(o, x), fastest_step(2, {1, 1, 0})), Error);
  CHECK_THROWS_AS(CartesianMove(line(o, x), PiecewisePolynomial{}), Error);
  CHECK_THROWS_AS(CartesianMove(line(o, x), polynomial_step(5, 1), {2 * Mat3<double>::Identity()}), Error);
}
