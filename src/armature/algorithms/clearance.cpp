#include "armature/algorithms/clearance.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/algorithms/jacobian.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"

namespace armature::algorithms {

namespace {

struct Segment {
  Vec3<double> a, b;
};

Segment in_world(const Capsule& capsule, const LinkPoses<double>& poses) {
  if (capsule.body < 0) return {capsule.a, capsule.b};
  const Pose<double>& X = poses.X_WB[capsule.body];
  return {X * capsule.a, X * capsule.b};
}

/// Nearest points of two segments [Ericson2005, 5.1.9]: p = a1 + s d1, q = a2 + t d2 with s, t in [0, 1].
void nearest_points(const Segment& one, const Segment& two, Vec3<double>& p, Vec3<double>& q) {
  const Vec3<double> d1 = one.b - one.a, d2 = two.b - two.a, r = one.a - two.a;
  const double a = d1.squaredNorm(), e = d2.squaredNorm(), f = d2.dot(r);
  constexpr double tiny = 1e-18;  // [m²] a segment that is a point
  double s = 0, t = 0;
  if (a <= tiny && e <= tiny) {
    s = t = 0;
  } else if (a <= tiny) {
    t = std::clamp(f / e, 0.0, 1.0);
  } else {
    const double c = d1.dot(r);
    if (e <= tiny) {
      s = std::clamp(-c / a, 0.0, 1.0);
    } else {
      const double b = d1.dot(d2), denominator = a * e - b * b;
      s = denominator > 1e-12 * a * e ? std::clamp((b * f - c * e) / denominator, 0.0, 1.0) : 0;
      t = (b * s + f) / e;
      if (t < 0) {
        t = 0;
        s = std::clamp(-c / a, 0.0, 1.0);
      } else if (t > 1) {
        t = 1;
        s = std::clamp((b - c) / a, 0.0, 1.0);
      }
    }
  }
  p = one.a + s * d1;
  q = two.a + t * d2;
}

const Capsule& at(const ClearanceModel& model, int i) { return model.capsules[i]; }

/// dp/dq of a point that body `body` carries.
Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, max_joints> point_slope(const Arm& arm, const LinkPoses<double>& poses,
                                                                       int body, const Vec3<double>& p) {
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, max_joints> J(3, arm.dof());
  J.setZero();
  if (body < 0) return J;
  Mat6X<double> all;
  jacobian<double>(arm, poses, body, p, all);
  return all.topRows<3>();
}

}  // namespace

Capsule enclosing_capsule(const std::vector<Vec3<double>>& points) {
  Capsule capsule;
  if (points.empty()) return capsule;
  Vec3<double> low = points[0], high = points[0];
  for (const Vec3<double>& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  Capsule best;
  best.radius = std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  Vec3<double> mean = Vec3<double>::Zero();
  for (const Vec3<double>& p : points) mean += p / static_cast<double>(points.size());
  Mat3<double> spread = Mat3<double>::Zero();
  for (const Vec3<double>& p : points) spread += (p - mean) * (p - mean).transpose();
  const Mat3<double> principal = Eigen::SelfAdjointEigenSolver<Mat3<double>>(spread).eigenvectors();
  for (int k = 0; k < 6; ++k) {  // along the principal axes and those of the frame; the smallest volume counts
    const Vec3<double> axis = k < 3 ? Vec3<double>(principal.col(k)) : Vec3<double>::Unit(k - 3);
    const Vec3<double> any = axis.unitOrthogonal(), other = axis.cross(any);
    double u_low = 0, u_high = 0, v_low = 0, v_high = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double u = any.dot(points[i] - mean), v = other.dot(points[i] - mean);
      u_low = i ? std::min(u_low, u) : u;
      u_high = i ? std::max(u_high, u) : u;
      v_low = i ? std::min(v_low, v) : v;
      v_high = i ? std::max(v_high, v) : v;
    }
    const Vec3<double> centre = mean + any * (u_low + u_high) / 2 + other * (v_low + v_high) / 2;
    double radius = 0;
    for (const Vec3<double>& p : points) radius = std::max(radius, (p - centre).cross(axis).norm());
    double from = std::numeric_limits<double>::infinity(), to = -from;  // of the segment
    for (const Vec3<double>& p : points) {
      const double along = axis.dot(p - centre), off = (p - centre - along * axis).norm();
      const double reach = std::sqrt(std::max(0.0, radius * radius - off * off));  // of the round end over this point
      from = std::min(from, along + reach);
      to = std::max(to, along - reach);
    }
    if (from > to) from = to = (from + to) / 2;
    const double volume = radius * radius * (to - from + 4.0 / 3 * radius);
    if (volume < least) {
      least = volume;
      best.a = centre + from * axis;
      best.b = centre + to * axis;
      best.radius = radius;
    }
  }
  for (const Vec3<double>& p : points) {  // where the round ends met, a point may still stick out
    Vec3<double> on, at_point;
    nearest_points({best.a, best.b}, {p, p}, on, at_point);
    best.radius = std::max(best.radius, (on - p).norm());
  }
  return best;
}

Clearance pair_clearance(const ClearanceModel& model, const LinkPoses<double>& poses, int first, int second) {
  Clearance c{0, first, second, {}, {}};
  nearest_points(in_world(at(model, first), poses), in_world(at(model, second), poses), c.at_first, c.at_second);
  c.distance = (c.at_first - c.at_second).norm() - at(model, first).radius - at(model, second).radius;
  return c;
}

Clearance floor_clearance(const ClearanceModel& model, const LinkPoses<double>& poses, int capsule) {
  const Segment segment = in_world(at(model, capsule), poses);
  Clearance c{0, capsule, -1, segment.a[2] < segment.b[2] ? segment.a : segment.b, {}};
  c.at_second = {c.at_first[0], c.at_first[1], *model.floor};
  c.distance = c.at_first[2] - *model.floor - at(model, capsule).radius;
  return c;
}

Clearance clearance(const ClearanceModel& model, const LinkPoses<double>& poses) {
  Clearance nearest;
  nearest.distance = std::numeric_limits<double>::infinity();
  for_each_near(model, poses, nearest.distance, [&](const Clearance& c) {
    if (c.distance < nearest.distance) nearest = c;
  });
  return nearest;
}

namespace {

/// The point of a convex hull that is farthest along a direction, in the world.
class Hull {
 public:
  Hull(const Capsule& capsule, const LinkPoses<double>& poses) {
    const Pose<double> X = capsule.body < 0 ? Pose<double>{} : poses.X_WB[capsule.body];
    if (capsule.points.empty()) points_ = {X * capsule.a, X * capsule.b};
    for (const Vec3<double>& p : capsule.points) points_.push_back(X * p);
    rounding_ = capsule.points.empty() ? capsule.radius : capsule.rounding;
  }
  [[nodiscard]] Vec3<double> farthest(const Vec3<double>& along) const {
    const Vec3<double>* best = &points_[0];
    double most = along.dot(*best);
    for (const Vec3<double>& p : points_)
      if (const double reach = along.dot(p); reach > most) {
        most = reach;
        best = &p;
      }
    return *best;
  }
  [[nodiscard]] double rounding() const { return rounding_; }

 private:
  std::vector<Vec3<double>> points_;
  double rounding_ = 0;
};

/// The point of a simplex of one to four corners that is nearest to the origin; drops the corners that it does not need.
Vec3<double> nearest_to_origin(std::vector<Vec3<double>>& simplex) {
  Vec3<double> best = Vec3<double>::Zero();
  double least = std::numeric_limits<double>::infinity();
  std::vector<Vec3<double>> needed;
  for (unsigned subset = 1; subset < 1U << simplex.size(); ++subset) {
    std::vector<Vec3<double>> corners;
    for (std::size_t i = 0; i < simplex.size(); ++i)
      if (subset >> i & 1U) corners.push_back(simplex[i]);
    // the corner x_0 and edges E: the nearest point x_0 + E w of their plane has Eᵀ(x_0 + E w) = 0
    const auto edges = static_cast<Eigen::Index>(corners.size()) - 1;
    Eigen::Matrix<double, 3, Eigen::Dynamic> E(3, edges);
    for (Eigen::Index k = 0; k < edges; ++k) E.col(k) = corners[k + 1] - corners[0];
    const Eigen::VectorXd w = (E.transpose() * E).ldlt().solve(-E.transpose() * corners[0]);
    if (edges > 0 && (!w.allFinite() || w.minCoeff() < 0 || w.sum() > 1)) continue;  // outside the simplex
    const Vec3<double> p = edges > 0 ? Vec3<double>(corners[0] + E * w) : corners[0];
    if (p.squaredNorm() < least) {
      least = p.squaredNorm();
      best = p;
      needed = corners;
    }
  }
  simplex = std::move(needed);
  return best;
}

}  // namespace

double shape_distance(const ClearanceModel& model, const LinkPoses<double>& poses, const Clearance& between) {
  const Hull one(at(model, between.first), poses);
  if (between.second < 0) return std::max(0.0, one.farthest({0, 0, -1})[2] - *model.floor - one.rounding());
  const Hull two(at(model, between.second), poses);
  const double rounding = one.rounding() + two.rounding();
  std::vector<Vec3<double>> simplex{one.farthest({1, 0, 0}) - two.farthest({-1, 0, 0})};
  constexpr int most = 100;  // steps; a handful is usual
  for (int k = 0; k < most; ++k) {
    const Vec3<double> v = nearest_to_origin(simplex);
    const double length = v.norm();
    if (length <= rounding + 1e-9) return 0;
    const Vec3<double> next = one.farthest(-v) - two.farthest(v);
    if (v.dot(next) >= length * (length - 1e-7)) return length - rounding;  // nothing lies nearer
    simplex.push_back(next);
  }
  return std::max(0.0, nearest_to_origin(simplex).norm() - rounding);
}

VecX<double> clearance_slope(const Arm& arm, const ClearanceModel& model, const LinkPoses<double>& poses,
                             const Clearance& nearest) {
  const Vec3<double> apart = nearest.second < 0 ? Vec3<double>(0, 0, 1) : nearest.at_first - nearest.at_second;
  const double length = apart.norm();
  if (!(length > 0)) return VecX<double>::Zero(arm.dof());  // the segments cross: every way is out
  const Vec3<double> n = apart / length;
  VecX<double> slope = point_slope(arm, poses, at(model, nearest.first).body, nearest.at_first).transpose() * n;
  if (nearest.second >= 0)
    slope -= point_slope(arm, poses, at(model, nearest.second).body, nearest.at_second).transpose() * n;
  return slope;
}

std::vector<std::pair<int, int>> watch(const Arm& arm, ClearanceModel& model, std::optional<double> floor,
                                       double least) {
  model.pairs.clear();
  model.above.clear();
  model.floor.reset();
  const int count = static_cast<int>(model.capsules.size());
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if (std::abs(at(model, i).body - at(model, j).body) > 1) model.pairs.emplace_back(i, j);
  const Vec3<double>& g = arm.gravity();
  if (floor && g.head<2>().norm() <= 1e-6 * std::abs(g[2]) && g[2] < 0) {
    for (int i = 0; i < count; ++i)
      if (at(model, i).body >= 1) model.above.push_back(i);
    if (!model.above.empty()) model.floor = floor;
  }
  constexpr int tries = 400;
  std::vector<int> near(model.pairs.size(), 0);
  Random random(1);
  VecX<double> q(arm.dof());
  for (int k = 0; k < tries; ++k) {
    for (int i = 0; i < arm.dof(); ++i) {
      const Limits& limits = arm.joint(i).limits;
      const double span = arm.body(i).revolute ? pi : 0.5;
      q[i] = random.uniform(limits.lower.value_or(-span), limits.upper.value_or(span));
    }
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    for (std::size_t p = 0; p < model.pairs.size(); ++p)
      near[p] += pair_clearance(model, poses, model.pairs[p].first, model.pairs[p].second).distance < least ? 1 : 0;
  }
  std::vector<std::pair<int, int>> kept, left;
  for (std::size_t p = 0; p < model.pairs.size(); ++p) (4 * near[p] > tries ? left : kept).push_back(model.pairs[p]);
  model.pairs = std::move(kept);
  return left;
}

}  // namespace armature::algorithms
