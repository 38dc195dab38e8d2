#include "armature/trajectory/piecewise.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"

namespace armature::trajectory {

using Piece = PiecewisePolynomial::Piece;

PiecewisePolynomial::PiecewisePolynomial(std::vector<Piece> pieces, double duration)
    : pieces_(std::move(pieces)), duration_(duration) {
  bool ordered =
      !pieces_.empty() && pieces_.front().start == 0 && std::isfinite(duration) && duration >= pieces_.back().start;
  for (std::size_t i = 1; i < pieces_.size(); ++i) ordered = ordered && pieces_[i].start > pieces_[i - 1].start;
  if (!ordered) throw Error("the pieces of a trajectory are not in order of time", "start at 0 and increase");
}

ScalarMotion PiecewisePolynomial::at(double t) const noexcept {
  const bool outside = t < 0 || t > duration_;
  t = std::clamp(t, 0.0, duration_);
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), t, [](double time, const Piece& p) { return time < p.start; });
  const Piece& piece = *(after - 1);
  const double s = t - piece.start;
  ScalarMotion m;
  for (int k = max_order; k >= 0; --k) {  // Horner, with derivatives
    m.j = m.j * s + m.a;
    m.a = m.a * s + m.v;
    m.v = m.v * s + m.x;
    m.x = m.x * s + piece.c[k];
  }
  m.a *= 2;
  m.j *= 6;
  if (outside) m.v = m.a = m.j = 0;
  return m;
}

PiecewisePolynomial polynomial_step(int order, double duration) {
  if (!(duration > 0) || !std::isfinite(duration))
    throw Error(fmt::format("a motion of {} s", duration), "the duration is positive");
  Piece piece;
  switch (order) {
    case 3:
      piece.c = {0, 0, 3, -2};
      break;
    case 5:
      piece.c = {0, 0, 0, 10, -15, 6};
      break;
    case 7:
      piece.c = {0, 0, 0, 0, 35, -84, 70, -20};
      break;
    default:
      throw Error(fmt::format("a polynomial of order {}", order), "orders 3, 5 and 7 go from rest to rest");
  }
  return stretched(PiecewisePolynomial({piece}, 1), duration);
}

PiecewisePolynomial stretched(const PiecewisePolynomial& motion, double duration) {
  if (!(duration > 0) || !std::isfinite(duration))
    throw Error(fmt::format("a motion of {} s", duration), "the duration is positive");
  if (motion.duration() == 0) return PiecewisePolynomial(motion.pieces(), duration);  // it stands still
  const double factor = duration / motion.duration();
  std::vector<Piece> pieces = motion.pieces();
  for (Piece& piece : pieces) {
    piece.start *= factor;
    double power = 1;
    for (double& c : piece.c) {
      c /= power;
      power *= factor;
    }
  }
  return {std::move(pieces), duration};
}

namespace {

/// Pieces of constant jerk, one after the other from rest at 0.
PiecewisePolynomial from_jerks(const std::vector<std::pair<double, double>>& jerks, double start_acceleration) {
  std::vector<Piece> pieces;
  double t = 0, x = 0, v = 0, a = start_acceleration;
  for (const auto& [jerk, dt] : jerks) {
    if (!(t + dt > t)) continue;
    pieces.push_back({t, {x, v, a / 2, jerk / 6}});
    x += dt * (v + dt * (a / 2 + dt * jerk / 6));
    v += dt * (a + dt * jerk / 2);
    a += dt * jerk;
    t += dt;
  }
  return {std::move(pieces), t};
}

/// Pieces of constant acceleration.
PiecewisePolynomial from_accelerations(const std::vector<std::pair<double, double>>& accelerations) {
  std::vector<Piece> pieces;
  double t = 0, x = 0, v = 0;
  for (const auto& [a, dt] : accelerations) {
    if (!(t + dt > t)) continue;
    pieces.push_back({t, {x, v, a / 2}});
    x += dt * (v + dt * a / 2);
    v += dt * a;
    t += dt;
  }
  return {std::move(pieces), t};
}

}  // namespace

//  With peak velocity v the motion covers v (T_a + T_v): T_a to speed up (and again to slow down), T_v at full speed.
//  Trapezoid: T_a = v/a. S-curve: T_a = T_j + v/a with T_j = a/j, or 2 sqrt(v/j) when full acceleration is not reached.
PiecewisePolynomial fastest_step(double distance, const ProfileLimits& limits) {
  if (!(limits.velocity > 0) || !(limits.acceleration > 0) || !(limits.jerk >= 0) || !std::isfinite(distance))
    throw Error("a motion needs positive limits of velocity and acceleration and a finite distance",
                "a jerk limit of zero means none");
  const double D = std::abs(distance), sign = distance < 0 ? -1 : 1;
  if (D == 0) return PiecewisePolynomial({Piece{}}, 0);
  double v = limits.velocity, a = limits.acceleration;
  const double j = limits.jerk;
  if (j == 0) {
    v = std::min(v, std::sqrt(D * a));
    const double Ta = v / a, Tv = D / v - Ta;
    return from_accelerations({{sign * a, Ta}, {0, Tv}, {-sign * a, Ta}});
  }
  const double to_full = a * a / j;  // velocity gained by just reaching full acceleration
  if (v < to_full) a = std::sqrt(v * j);
  const auto speed_up = [&](double speed) { return a / j + speed / a; };
  if (D < v * speed_up(v)) {  // full velocity is out of reach
    a = limits.acceleration;
    v = (std::sqrt(to_full * to_full + 4 * D * a) - to_full) / 2;
    if (v < to_full) {
      v = std::cbrt(D * D * j / 4);
      a = std::sqrt(v * j);
    }
  }
  const double Tj = a / j, Tc = std::max(0.0, v / a - Tj), Tv = std::max(0.0, D / v - speed_up(v));
  const double J = sign * j;
  return from_jerks({{J, Tj}, {0, Tc}, {-J, Tj}, {0, Tv}, {-J, Tj}, {0, Tc}, {J, Tj}}, 0);
}

namespace {

constexpr std::size_t most_waypoints = 500000;

void check_waypoints(const std::vector<double>& t, const std::vector<double>& x) {
  if (t.size() > most_waypoints)
    throw Error(fmt::format("a motion through {} waypoints", t.size()), fmt::format("at most {}", most_waypoints));
  bool good = t.size() == x.size() && t.size() >= 2 && t.front() == 0;
  for (std::size_t i = 1; good && i < t.size(); ++i) good = t[i] > t[i - 1] && std::isfinite(t[i]);
  for (std::size_t i = 0; good && i < x.size(); ++i) good = std::isfinite(x[i]);
  if (!good)
    throw Error("a spline needs two or more finite waypoints at increasing times from 0", "check the waypoints");
}

/// The polynomial of order 3 with these values and slopes at both ends of [0, h].
Piece hermite3(double start, double h, double x0, double v0, double x1, double v1) {
  const double rise = x1 - x0;
  return {start, {x0, v0, (3 * rise / h - 2 * v0 - v1) / h, (v0 + v1 - 2 * rise / h) / (h * h)}};
}

/// The polynomial of order 5 with these values, slopes and curvatures at both ends of [0, h].
Piece hermite5(double start, double h, double x0, double v0, double a0, double x1, double v1, double a1) {
  const double r = x1 - x0 - h * (v0 + h * a0 / 2), s = (v1 - v0 - h * a0) * h, u = (a1 - a0) * h * h;
  return {start,
          {x0, v0, a0 / 2, (10 * r - 4 * s + u / 2) / (h * h * h), (-15 * r + 7 * s - u) / (h * h * h * h),
           (6 * r - 3 * s + u / 2) / (h * h * h * h * h)}};
}

}  // namespace

//  Slopes v_i from continuous curvature: v_(i-1)/h_(i-1) + 2 (1/h_(i-1) + 1/h_i) v_i + v_(i+1)/h_i = 3 (...), by Thomas.
PiecewisePolynomial cubic_spline(const std::vector<double>& t, const std::vector<double>& x) {
  check_waypoints(t, x);
  const std::size_t n = t.size();
  std::vector<double> v(n, 0.0), upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double a = 1 / (t[i] - t[i - 1]), b = 1 / (t[i + 1] - t[i]);
    const double right = 3 * ((x[i] - x[i - 1]) * a * a + (x[i + 1] - x[i]) * b * b);
    const double pivot = 2 * (a + b) - a * upper[i - 1];
    upper[i] = b / pivot;
    v[i] = (right - a * v[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) v[i] -= upper[i] * v[i + 1];
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < n; ++i)
    pieces.push_back(hermite3(t[i], t[i + 1] - t[i], x[i], v[i], x[i + 1], v[i + 1]));
  return {std::move(pieces), t.back()};
}

//  Unknown slopes and curvatures at the inner waypoints; jerk and snap are continuous there: a block-tridiagonal system.
PiecewisePolynomial quintic_spline(const std::vector<double>& t, const std::vector<double>& x) {
  check_waypoints(t, x);
  const std::size_t n = t.size();
  using Block = Eigen::Matrix2d;
  using Pair = Eigen::Vector2d;
  // Jerk and snap of a piece are linear in (v, a) of its ends; rows: jerk, snap; `end` chooses the end at which.
  struct Linear {
    Block from, to;  // factors of (v, a) at the piece's start and end
    Pair constant;
  };
  const auto linear = [](double h, double rise, bool end) {
    const auto eval = [&](double v0, double a0, double v1, double a1, double r) {
      const Piece p = hermite5(0, h, 0, v0, a0, r, v1, a1);
      const double s = end ? h : 0;
      return Pair(6 * p.c[3] + s * (24 * p.c[4] + s * 60 * p.c[5]), 24 * p.c[4] + s * 120 * p.c[5]);
    };
    Linear l;
    l.from << eval(1, 0, 0, 0, 0), eval(0, 1, 0, 0, 0);
    l.to << eval(0, 0, 1, 0, 0), eval(0, 0, 0, 1, 0);
    l.constant = eval(0, 0, 0, 0, rise);
    return l;
  };
  std::vector<Pair> va(n, Pair::Zero());
  std::vector<Block> upper(n, Block::Zero());
  for (std::size_t i = 1; i + 1 < n; ++i) {  // end of the piece before = start of the piece after
    const Linear before = linear(t[i] - t[i - 1], x[i] - x[i - 1], true),
                 after = linear(t[i + 1] - t[i], x[i + 1] - x[i], false);
    const Block lower = before.from, pivot = before.to - after.from - lower * upper[i - 1];
    const Pair right = after.constant - before.constant - lower * va[i - 1];
    const Eigen::PartialPivLU<Block> lu(pivot);
    upper[i] = lu.solve(Block(-after.to));
    va[i] = lu.solve(right);
  }
  for (std::size_t i = n - 1; i-- > 1;) va[i] -= upper[i] * va[i + 1];
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < n; ++i)
    pieces.push_back(hermite5(t[i], t[i + 1] - t[i], x[i], va[i][0], va[i][1], x[i + 1], va[i + 1][0], va[i + 1][1]));
  return {std::move(pieces), t.back()};
}

PiecewisePolynomial through_samples(const std::vector<double>& t, const std::vector<double>& x,
                                    const std::vector<double>& v, const std::vector<double>& a) {
  check_waypoints(t, x);
  check_waypoints(t, v);
  if (!a.empty()) check_waypoints(t, a);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    const double h = t[i + 1] - t[i];
    pieces.push_back(a.empty() ? hermite3(t[i], h, x[i], v[i], x[i + 1], v[i + 1])
                               : hermite5(t[i], h, x[i], v[i], a[i], x[i + 1], v[i + 1], a[i + 1]));
  }
  return {std::move(pieces), t.back()};
}

}  // namespace armature::trajectory
