// Lines, arcs and blended polylines in space, travelled by any time law, while the orientation turns about one axis.
//
//   const Curve curve = arc_through(a, b, c);
//   const CartesianMove move(curve, polynomial_step(5, 2.0), {R_start, R_end});
#pragma once

#include <vector>

#include "armature/trajectory/motion.hpp"
#include "armature/trajectory/piecewise.hpp"

namespace armature::trajectory {

/// A curve of straight and circular pieces without corners, by its arc length.
class Curve {
 public:
  struct Point {
    Vec3<double> position;   // [m]
    Vec3<double> tangent;    // unit vector; zero on a curve of no length
    Vec3<double> curvature;  // d tangent/ds, towards the centre [1/m]
  };
  [[nodiscard]] double length() const { return length_; }  // [m]
  /// The point after `s` [m] of the curve; beyond the ends its first and last pieces go on.
  [[nodiscard]] Point at(double s) const noexcept;

 private:
  struct Piece {
    double start;          // arc length before this piece [m]
    Vec3<double> origin;   // first point of a straight piece, centre of an arc [m]
    Vec3<double> radial;   // from the centre to the first point of an arc [m]; zero for a straight piece
    Vec3<double> tangent;  // at the first point
    double curvature;      // 1/radius [1/m]; 0 for a straight piece
  };
  Curve() = default;
  void add_line(const Vec3<double>& from, const Vec3<double>& to);
  void add_arc(const Vec3<double>& centre, const Vec3<double>& start, const Vec3<double>& axis, double angle);

  std::vector<Piece> pieces_;
  double length_ = 0;

  friend Curve line(const Vec3<double>& from, const Vec3<double>& to);
  friend Curve arc_about(const Vec3<double>& centre, const Vec3<double>& axis, const Vec3<double>& start, double angle);
  friend Curve blended_polyline(const std::vector<Vec3<double>>& points, double zone);
};

/// The straight line; of no length where the ends are equal (a move along it only turns).
Curve line(const Vec3<double>& from, const Vec3<double>& to);

/// Where `start` goes when it turns about the axis through `centre`: a full circle for 2 π, any number of turns, either way.
/// Throws Error where `start` lies on the axis.
Curve arc_about(const Vec3<double>& centre, const Vec3<double>& axis, const Vec3<double>& start, double angle);

/// The arc from `from` through `via` to `to`. Throws Error where the three lie on a line.
Curve arc_through(const Vec3<double>& from, const Vec3<double>& via, const Vec3<double>& to);

/// The circle through three points, from the first through the second and third back to the first.
Curve circle_through(const Vec3<double>& first, const Vec3<double>& second, const Vec3<double>& third);

/// From point to point, every corner cut by the arc that leaves and meets the sides at `zone` [m] from it. Speed and direction
/// are continuous; the acceleration jumps by v²/r where an arc of radius r begins or ends. Throws Error where two corners'
/// zones overlap or the path turns back on itself.
Curve blended_polyline(const std::vector<Vec3<double>>& points, double zone);

/// Orientations at the start and at the end, R_WB.
struct Orientations {
  Mat3<double> from = Mat3<double>::Identity();
  Mat3<double> to = Mat3<double>::Identity();
};

/// A frame that travels along a curve. The law gives the share of the way, from 0 to 1, over time; the orientation turns by
/// the same share of the angle between its ends, about the one axis that joins them (for half a turn, either way round):
///     s = L σ(t),   v = s' t,   a = s'' t + s'² k,     R = exp(σ θ n) R_from,   ω = σ' θ n,   α = σ'' θ n
class CartesianMove {
 public:
  /// Throws Error unless the law goes from 0 to 1 and the orientations are rotations.
  CartesianMove(Curve curve, PiecewisePolynomial law, const Orientations& orientations = {});
  [[nodiscard]] double duration() const { return law_.duration(); }
  [[nodiscard]] const Curve& curve() const { return curve_; }
  void at(double t, CartesianMotion& motion) const noexcept;

 private:
  Curve curve_;
  PiecewisePolynomial law_;
  Mat3<double> from_;
  Vec3<double> turn_;  // θ n, in W [rad]
};

}  // namespace armature::trajectory
