#include "armature/codegen/derive/internal/reduced_arm.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "armature/spatial/rotation.hpp"

namespace armature::codegen {
namespace {

// Rounding of sines and cosines of right angles and what becomes of it.
constexpr double noise = 1e-15;
// Axes that differ by less are parallel.
constexpr double parallel = 1e-12;
// A common normal farther away than this many metres belongs to axes that are parallel but for an error; not worth a frame.
constexpr double far_away = 100;

template <class Derived>
void drop_noise(Eigen::MatrixBase<Derived>& x, double scale) {
  for (auto& e : x.reshaped()) {
    if (std::abs(e) < noise * scale) e = 0;
    if (std::abs(std::abs(e) - scale) < noise * scale) e = std::copysign(scale, e);
  }
}

// Axes with a given z and an x as near as possible to a given direction.
Mat3<double> axes(const Vec3<double>& z, const Vec3<double>& x_like) {
  const Vec3<double> x = (x_like - z * z.dot(x_like)).normalized();
  Mat3<double> R;
  R << x, z.cross(x), z;
  return R;
}

// On the line through the origin along z: the point nearest to the line through p along e (which is not parallel).
double foot(const Vec3<double>& p, const Vec3<double>& e) {
  const double c = e[2], s2 = e[0] * e[0] + e[1] * e[1];
  return (p[2] - c * e.dot(p)) / s2;
}

// The next revolute joint's axis as seen from body i, sliding joints between them at zero.
struct NextAxis {
  bool exists = false;
  Vec3<double> p, e;  // a point of the axis and its direction, in the body's frame
};
NextAxis next_axis(const Arm& arm, int i) {
  Pose<double> X;
  for (int j = i + 1; j < arm.dof(); ++j) {
    X = X * arm.body(j).X_PB0;
    if (arm.body(j).revolute) return {true, X.p, X.R.col(2)};
  }
  return {};
}

Inertia<double> inertia_of(const Moments& a) {
  Inertia<double> result{a.m, a.h, -a.N};
  result.I_Bo.diagonal().array() += a.N.trace();
  return result;
}

Moments moments_of(const Inertia<double>& a) {
  Moments result{a.m, a.h, -a.I_Bo};
  result.N.diagonal().array() += a.I_Bo.trace() / 2;
  return result;
}

double snap_to_quarter_turns(double angle) {
  const double quarter = std::numbers::pi / 2;
  const double k = std::round(angle / quarter);
  return std::abs(angle - k * quarter) < 10 * noise ? k * quarter : angle;
}

// Direction of x of the frame on axis i, in the body's own (described) axes.
Vec3<double> x_direction(const NextAxis& next) {
  if (!next.exists) return Vec3<double>::UnitX();
  Vec3<double> x(-next.e[1], next.e[0], 0);                // z × e: along the common normal
  if (x.norm() < parallel) x = {next.p[0], next.p[1], 0};  // parallel: towards the next axis
  return x.norm() < parallel ? Vec3<double>(Vec3<double>::UnitX()) : x;
}

// Places the frames; moments are moved but not yet regrouped.
ReducedArm place_frames(const Arm& arm, const Choices& choices) {
  ReducedArm reduced{.bodies = {}, .gravity = arm.gravity()};
  Pose<double> X_BN;  // of the previous body: the reduced frame in the described one
  for (int i = 0; i < arm.dof(); ++i) {
    const Body& body = arm.body(i);
    const Pose<double> X =
        X_BN.inverse() * body.X_PB0;  // described frame of this body at q = 0 in the previous reduced frame
    Vec3<double> e = X.R.col(2);
    drop_noise(e, 1);
    ReducedBody r;
    r.revolute = body.revolute;
    if (!body.revolute) {
      r.slide = e;
      X_BN = X.inverse();
    } else {
      const NextAxis next = next_axis(arm, i);
      const bool same_direction = Eigen::Vector2d(e[0], e[1]).norm() < parallel;
      r.first_of_group = !same_direction;
      r.sign = same_direction && e[2] < 0 ? -1 : 1;
      if (r.first_of_group) r.R_PG = axes(e, {-e[1], e[0], 0});
      if (r.first_of_group && r.R_PG(0, 0) < 0) r.R_PG.leftCols<2>() *= -1;  // x as near as can be to the last one
      drop_noise(r.R_PG, 1);
      const Mat3<double> R_BN = axes({0, 0, r.sign}, x_direction(next));
      const Mat3<double> turned = r.R_PG.transpose() * X.R * R_BN;
      r.offset = snap_to_quarter_turns(std::atan2(turned(1, 0), turned(0, 0)));

      // height of the origin on the axis, in the described frame
      double height = same_direction ? -r.sign * X.p[2] : 0;
      if (!same_direction) {
        const Pose<double> X_inv = X.inverse();
        const double f = foot(X_inv.p, X_inv.R.col(2));
        if (std::abs(f) < far_away) height = f;
      }
      const bool crossing = next.exists && Eigen::Vector2d(next.e[0], next.e[1]).norm() > parallel;
      if (crossing && (i == 0 || choices[i].origin_at_next)) {
        const double f = foot(next.p, next.e);
        if (std::abs(f) < far_away) height = f;
      }
      X_BN = {R_BN, {0, 0, height}};
      r.p = X * X_BN.p;
      drop_noise(r.p, 1);
    }
    r.moments = seen_from(X_BN.inverse(), moments_of(body.inertia));
    reduced.bodies.push_back(r);
  }
  return reduced;
}

void drop_noise(Moments& a) {
  const double scale = std::max({std::abs(a.m), a.h.cwiseAbs().maxCoeff(), a.N.cwiseAbs().maxCoeff()});
  for (auto& e : a.h) e = std::abs(e) < noise * scale ? 0 : e;
  for (auto& e : a.N.reshaped()) e = std::abs(e) < noise * scale ? 0 : e;
  if (std::abs(a.m) < noise * scale) a.m = 0;
}

// What the child takes back from its parent, as masses on the joint's axis, in the child's frame.
Moments taken_back(const Moments& parent, const ReducedBody& child, const BodyChoice& choice) {
  const Vec3<double> e = child.R_PG.col(2), p = child.p;
  const int along = std::abs(e[0]) > std::abs(e[1]) ? 0 : 1;  // the axis lies more along x or y of the parent
  const bool inclined = std::abs(e[along]) > 1e-3;
  Moments t;
  if (choice.take_mass && choice.take_moment && inclined) {  // p m + e hz = h in x and y
    const double det = p[0] * e[1] - p[1] * e[0];
    if (std::abs(det) > 1e-3) {
      t.m = (parent.h[0] * e[1] - parent.h[1] * e[0]) / det;
      t.h[2] = (p[0] * parent.h[1] - p[1] * parent.h[0]) / det;
    }
  } else if (choice.take_mass) {
    const int k = std::abs(p[0]) > std::abs(p[1]) ? 0 : 1;
    if (std::abs(p[k]) > 1e-3) t.m = parent.h[k] / p[k];
  } else if (choice.take_moment && inclined) {
    t.h[2] = parent.h[along] / e[along];
  }
  if (choice.take_second && inclined) {
    const Moments left = parent - seen_from({child.R_PG, p}, t);
    t.N(2, 2) = left.N(along, along) / (e[along] * e[along]);
  }
  return t;
}

void regroup_moments(ReducedArm& arm, const Choices& choices) {
  for (std::size_t i = arm.bodies.size(); i-- > 0;) {
    ReducedBody& body = arm.bodies[i];
    Moments given;  // what moves alike for this body and its parent
    if (body.revolute) {
      given.m = body.moments.m;
      given.h[2] = body.moments.h[2];
      given.N(2, 2) = body.moments.N(2, 2);
    } else {
      given.N = body.moments.N;  // both turn alike, so second moments about a body's own origin count for either
    }
    body.moments = body.moments - given;
    drop_noise(body.moments);
    if (i == 0) break;
    Moments& parent = arm.bodies[i - 1].moments;
    if (!body.revolute) {
      parent = parent + given;
      continue;
    }
    const Pose<double> X_PB{body.R_PG, body.p};
    parent = parent + seen_from(X_PB, given);
    const Moments taken = taken_back(parent, body, choices[i]);
    parent = parent - seen_from(X_PB, taken);
    drop_noise(parent);
    body.moments = body.moments + taken;
  }
}

// Turns the last body's frame about z.
void turn(ReducedBody& body, BodyChoice::Turn which) {
  const Moments& a = body.moments;
  double angle = 0;
  switch (which) {
    case BodyChoice::Turn::none:
      return;
    case BodyChoice::Turn::hy:
      angle = std::atan2(a.h[1], a.h[0]);
      break;
    case BodyChoice::Turn::Nxy:
      angle = std::atan2(2 * a.N(0, 1), a.N(0, 0) - a.N(1, 1)) / 2;
      break;
    case BodyChoice::Turn::Nxz:
      angle = std::atan2(-a.N(0, 2), a.N(1, 2));
      break;
    case BodyChoice::Turn::Nyz:
      angle = std::atan2(a.N(1, 2), a.N(0, 2));
      break;
  }
  Pose<double> X;  // the new frame in the old one
  X.R << std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1;
  body.moments = seen_from(X.inverse(), a);
  drop_noise(body.moments);
  body.offset = snap_to_quarter_turns(body.offset + angle);
}

}  // namespace

Moments seen_from(const Pose<double>& X_AB, const Moments& a) {
  const Vec3<double> Rh = X_AB.R * a.h;
  const Vec3<double>& p = X_AB.p;
  return {a.m, Vec3<double>(Rh + a.m * p),
          Mat3<double>(X_AB.R * a.N * X_AB.R.transpose() + Rh * p.transpose() + p * Rh.transpose() +
                       a.m * p * p.transpose())};
}

ReducedArm reduce(const Arm& arm, const Choices& choices) {
  ReducedArm reduced = place_frames(arm, choices);
  regroup_moments(reduced, choices);
  if (reduced.bodies.back().revolute) turn(reduced.bodies.back(), choices.back().turn);
  return reduced;
}

RegroupedArm regroup(const Arm& arm, const Choices& choices) {
  const ReducedArm reduced = reduce(arm, choices);
  std::vector<Body> bodies;
  VecX<double> offset(arm.dof());
  Mat3<double> Q_P =
      Mat3<double>::Identity();  // of the previous body: axes with z along its joint, in its reduced frame
  for (const ReducedBody& r : reduced.bodies) {
    Mat3<double> Q = r.revolute ? rotation_from_z_to({0, 0, r.sign}) : rotation_from_z_to(r.slide);
    drop_noise(Q, 1);
    Body body;
    body.revolute = r.revolute;
    body.X_PB0 = {Q_P.transpose() * r.R_PG * Q, Q_P.transpose() * r.p};
    drop_noise(body.X_PB0.R, 1);
    body.inertia = inertia_of(seen_from({Q.transpose(), Vec3<double>::Zero()}, r.moments));
    offset[static_cast<int>(bodies.size())] = r.sign * r.offset;
    bodies.push_back(body);
    Q_P = Q;
  }
  return {arm.with_bodies(std::move(bodies)), offset};
}

}  // namespace armature::codegen
