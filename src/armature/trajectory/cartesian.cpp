#include "armature/trajectory/cartesian.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::trajectory {

namespace {

using Vector = Vec3<double>;

void check_finite(const Vector& point) {
  if (!point.allFinite()) throw Error("a point of a path is not finite", "give three numbers [m]");
}

std::string text(const Vector& p) { return fmt::format("({:g}, {:g}, {:g})", p[0], p[1], p[2]); }

struct Circle {
  Vector centre, axis;  // the points follow each other counter-clockwise about the axis
};

//  With u = b - a, w = c - a and n = u × w, the point of the plane that is equally far from all three:
//      centre = a + (|u|² w - |w|² u) × n / (2 |n|²)
Circle circumscribed(const Vector& a, const Vector& b, const Vector& c) {
  for (const Vector* point : {&a, &b, &c}) check_finite(*point);
  const Vector u = b - a, w = c - a, n = u.cross(w);
  if (!(n.norm() > 1e-9 * u.norm() * w.norm()) || !((c - b).norm() > 1e-9 * w.norm()))
    throw Error(fmt::format("no circle goes through {}, {} and {}: they lie on a line", text(a), text(b), text(c)),
                "use a line, or move the middle point");
  return {a + (u.squaredNorm() * w - w.squaredNorm() * u).cross(n) / (2 * n.squaredNorm()), n.normalized()};
}

/// The angle in (0, 2 π) by which p turns into q about the circle's axis.
double angle_between(const Circle& circle, const Vector& p, const Vector& q) {
  const Vector u = p - circle.centre, w = q - circle.centre;
  const double angle = std::atan2(circle.axis.dot(u.cross(w)), u.dot(w));
  return angle > 0 ? angle : angle + 2 * pi;
}

}  // namespace

void Curve::add_line(const Vector& from, const Vector& to) {
  const double distance = (to - from).norm();
  const Vector tangent = distance > 0 ? Vector((to - from) / distance) : Vector::Zero();
  pieces_.push_back({length_, from, Vector::Zero(), tangent, 0});
  length_ += distance;
}

void Curve::add_arc(const Vector& centre, const Vector& start, const Vector& axis, double angle) {
  const Vector radial = start - centre;
  const double radius = radial.norm();
  const Vector tangent = (angle < 0 ? -axis : axis).cross(radial) / radius;
  pieces_.push_back({length_, centre, radial, tangent, 1 / radius});
  length_ += radius * std::abs(angle);
}

Curve::Point Curve::at(double s) const noexcept {
  const auto after = std::upper_bound(pieces_.begin() + 1, pieces_.end(), s,
                                      [](double length, const Piece& piece) { return length < piece.start; });
  const Piece& piece = *(after - 1);
  const double u = s - piece.start;
  if (piece.curvature == 0) return {piece.origin + u * piece.tangent, piece.tangent, Vector::Zero()};
  const double sine = std::sin(u * piece.curvature), cosine = std::cos(u * piece.curvature);
  const double radius = 1 / piece.curvature;
  const Vector outward = cosine * piece.radial * piece.curvature + sine * piece.tangent;  // unit vector
  return {piece.origin + radius * outward, cosine * piece.tangent - sine * piece.radial * piece.curvature,
          -outward * piece.curvature};
}

Curve line(const Vector& from, const Vector& to) {
  check_finite(from);
  check_finite(to);
  Curve curve;
  curve.add_line(from, to);
  return curve;
}

Curve arc_about(const Vector& centre, const Vector& axis, const Vector& start, double angle) {
  check_finite(centre);
  check_finite(axis);
  check_finite(start);
  if (!(axis.norm() > 0)) throw Error("an arc about an axis of no direction", "give the normal of its plane");
  if (!std::isfinite(angle) || angle == 0) throw Error(fmt::format("an arc of {} rad", angle), "2 π is a circle");
  const Vector n = axis.normalized();
  const Vector foot = centre + n * n.dot(start - centre);  // the centre of the circle lies in the plane of the start
  if (!((start - foot).norm() > 1e-12 * std::max(1.0, (start - centre).norm())))
    throw Error(fmt::format("the arc's start {} lies on its axis", text(start)), "start away from the centre");
  Curve curve;
  curve.add_arc(foot, start, n, angle);
  return curve;
}

Curve arc_through(const Vector& from, const Vector& via, const Vector& to) {
  const Circle circle = circumscribed(from, via, to);
  return arc_about(circle.centre, circle.axis, from, angle_between(circle, from, to));
}

Curve circle_through(const Vector& first, const Vector& second, const Vector& third) {
  const Circle circle = circumscribed(first, second, third);
  return arc_about(circle.centre, circle.axis, first, 2 * pi);
}

//  A corner that turns by δ is cut at the distance z on both sides by an arc of radius r = z / tan(δ/2); its centre lies at
//  r/cos(δ/2) from the corner, on the bisector of the sides.
Curve blended_polyline(const std::vector<Vector>& points, double zone) {
  if (points.size() < 2) throw Error(fmt::format("a polyline of {} points", points.size()), "give two or more");
  if (!(zone > 0) || !std::isfinite(zone))
    throw Error(fmt::format("a blending zone of {} m", zone), "corners are rounded from a positive distance on");
  for (const Vector& point : points) check_finite(point);
  const std::size_t sides = points.size() - 1;
  std::vector<Vector> direction;
  for (std::size_t i = 0; i < sides; ++i) {
    const Vector side = points[i + 1] - points[i];
    const double needed = (i > 0 ? zone : 0) + (i + 1 < sides ? zone : 0);
    if (!(side.norm() > 0)) throw Error(fmt::format("point {} of the polyline repeats", i + 2), "leave one out");
    if (side.norm() < needed * (1 - 1e-10))
      throw Error(
          fmt::format("side {} of the polyline is {:g} m long, its corners need {:g} m", i + 1, side.norm(), needed),
          "make the blending zone smaller");
    direction.push_back(side.normalized());
  }
  const double rounding = 1e-10 * zone;
  const auto has_length = [&](const Vector& a, const Vector& b) { return (b - a).norm() > rounding; };
  Curve curve;
  Vector from = points.front();
  for (std::size_t i = 1; i < sides; ++i) {
    const Vector &in = direction[i - 1], &out = direction[i], n = in.cross(out);
    const double delta = std::atan2(n.norm(), in.dot(out));
    if (delta < 1e-9) continue;  // straight on
    if (pi - delta < 1e-6)
      throw Error(fmt::format("the polyline turns back on itself at point {}", i + 1), "make it two motions");
    const Vector begin = points[i] - zone * in, axis = n.normalized();
    if (has_length(from, begin)) curve.add_line(from, begin);
    curve.add_arc(begin + axis.cross(in) * (zone / std::tan(delta / 2)), begin, axis, delta);
    from = points[i] + zone * out;
  }
  if (has_length(from, points.back())) curve.add_line(from, points.back());
  return curve;
}

CartesianMove::CartesianMove(Curve curve, PiecewisePolynomial law, const Orientations& orientations)
    : curve_(std::move(curve)), law_(std::move(law)), from_(orientations.from) {
  if (law_.pieces().empty() || std::abs(law_.at(0).x) > 1e-9 || std::abs(law_.at(law_.duration()).x - 1) > 1e-9)
    throw Error("the time law of a path does not go from 0 to 1", "e.g. polynomial_step(5, duration)");
  for (const Mat3<double>* R : {&orientations.from, &orientations.to})
    if (!(orthogonality_error(*R) < 1e-9))
      throw Error("an orientation of a path is no rotation", "its columns are orthonormal and right-handed");
  turn_ = log_map(Mat3<double>(orientations.to * orientations.from.transpose()));
}

void CartesianMove::at(double t, CartesianMotion& motion) const noexcept {
  const ScalarMotion share = law_.at(t);
  const double L = curve_.length(), speed = L * share.v;
  const Curve::Point point = curve_.at(L * share.x);
  motion.position = point.position;
  motion.velocity = speed * point.tangent;
  motion.acceleration = L * share.a * point.tangent + speed * speed * point.curvature;
  motion.rotation = exp_map(Vector(share.x * turn_)) * from_;
  motion.angular_velocity = share.v * turn_;
  motion.angular_acceleration = share.a * turn_;
}

}  // namespace armature::trajectory
