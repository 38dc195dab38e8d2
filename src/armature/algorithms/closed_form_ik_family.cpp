#include "armature/algorithms/closed_form_ik_family.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::algorithms {

namespace {

using Vec = Vec3<double>;
using Mat = Mat3<double>;

constexpr double same = 1e-5;       // misfit below which an arm is of a family
constexpr double rounding = 1e-13;  // below which a constant is the round number next to it

/// The line a joint moves about or along, in the world at q = 0.
struct Axis {
  Vec p, z;
  bool revolute;
};

struct Skeleton {
  std::array<Axis, 6> axis;
  Pose<double> X_WT;
  double size = 0;  // [m]
};

Skeleton skeleton_of(const Arm& arm) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, VecX<double>::Zero(arm.dof()));
  Skeleton s{.axis = {}, .X_WT = tool_pose(arm, poses)};
  for (int i = 0; i < arm.dof(); ++i) {
    const Pose<double>& X = poses.X_WB[i];
    s.axis[i] = {X.p, X.R.col(2), arm.body(i).revolute};
    s.size += i + 1 < arm.dof() ? arm.body(i + 1).X_PB0.p.norm() : arm.X_BT().p.norm();
  }
  return s;
}

/// Relations between axes, and how well those that were asked for hold.
struct Fit {
  double size;
  double misfit = 0;

  bool holds(double deviation) {
    misfit = std::max(misfit, deviation);
    return deviation < same;
  }
  bool across(const Vec& a, const Vec& b) { return holds(std::abs(a.dot(b))); }
  bool parallel(const Vec& a, const Vec& b) { return holds(a.cross(b).norm()); }
  /// The middle of the shortest way between two lines that are not parallel, if they meet.
  bool meet(const Axis& a, const Axis& b, Vec& point) {
    const Vec between = b.p - a.p;
    const double c = a.z.dot(b.z), along_a = between.dot(a.z), along_b = between.dot(b.z);
    const Vec on_a = a.p + a.z * ((along_a - c * along_b) / (1 - c * c));
    const Vec on_b = b.p + b.z * ((c * along_a - along_b) / (1 - c * c));
    point = (on_a + on_b) / 2;
    return holds((on_a - on_b).norm() / size);
  }
  bool passes(const Axis& a, const Vec& point) { return holds(a.z.cross(point - a.p).norm() / size); }
  [[nodiscard]] bool has_length(double length) const { return length > same * size; }
};

double sign_of(double x) { return x < 0 ? -1 : 1; }
Vec part_across(const Vec& a, const Vec& z) { return (a - z * z.dot(a)).normalized(); }
Mat columns(const Vec& x, const Vec& y, const Vec& z) {
  Mat R;
  R << x, y, z;
  return R;
}
Mat turn_up(double angle) { return rotation_y(-angle); }

/// So that the zeros and right angles of a geometry are exact, and vanish from a trace.
double tidy_length(double x, double size) { return std::abs(x) < rounding * size ? 0 : x; }
double tidy_angle(double x) {
  const double wrapped = std::remainder(x, 2 * pi), quarters = std::round(wrapped / (pi / 2));
  const double tidy = std::abs(wrapped - quarters * (pi / 2)) < rounding ? quarters * (pi / 2) : wrapped;
  return tidy <= -pi ? pi : tidy;
}
Mat tidy_rotation(const Mat& R) {
  return R.unaryExpr([](double x) { return std::abs(x - std::round(x)) < rounding ? std::round(x) : x; });
}
Pose<double> tidy_pose(const Pose<double>& X, double size) {
  return {tidy_rotation(X.R), X.p.unaryExpr([size](double x) { return tidy_length(x, size); })};
}

/// The family's base frame: axes R_W0 and origin.
struct Base {
  Mat R;
  Vec origin;
  [[nodiscard]] Vec seen(const Vec& p_W) const { return R.transpose() * (p_W - origin); }
};

void set_frames(IkFamily& family, const Base& base, double size) {
  const Pose<double> X_W0{base.R, base.origin};
  family.X_0W = tidy_pose(X_W0.inverse(), size);
}
void set_last_frame(IkFamily& family, const Pose<double>& X_WT, const Mat& R_WN, const Vec& p_WN, double size) {
  family.X_TN = tidy_pose(X_WT.inverse() * Pose<double>{R_WN, p_WN}, size);
}

/// Axis 2 across axis 1, axis 3 parallel to axis 2, and a point `end` that the third joint carries.
std::optional<RrrGeometry<double>> fit_rrr(const Skeleton& s, const Vec& end, Fit& fit, Base& base, IkFamily& family) {
  const Axis &one = s.axis[0], &two = s.axis[1], &three = s.axis[2];
  if (!fit.across(one.z, two.z) || !fit.parallel(two.z, three.z)) return {};
  const Vec across = part_across(two.z, one.z);
  base.R = columns(one.z.cross(across), -across, one.z);
  base.origin = one.p + one.z * one.z.dot(two.p - one.p);
  const Vec elbow = base.seen(three.p), p = base.seen(end);
  const double a1 = base.seen(two.p)[0];
  const double x2 = elbow[0] - a1, z2 = elbow[2], x3 = p[0] - elbow[0], z3 = p[2] - elbow[2];
  const double a2 = std::hypot(x2, z2), a3 = std::hypot(x3, z3);
  if (!fit.has_length(a2) || !fit.has_length(a3)) return {};
  family.joints[0] = {};
  family.joints[1] = {1, tidy_angle(std::atan2(z2, x2))};
  family.joints[2] = {sign_of(across.dot(three.z)), tidy_angle(std::atan2(z3, x3) - family.joints[1].offset)};
  return RrrGeometry<double>{tidy_length(a1, s.size), a2, a3, tidy_length(-p[1], s.size)};
}

std::optional<IkFamily> as_rrr(const Skeleton& s) {
  Fit fit{s.size};
  IkFamily family;
  Base base;
  const auto arm = fit_rrr(s, s.X_WT.p, fit, base, family);
  if (!arm) return {};
  family.geometry = *arm;
  set_frames(family, base, s.size);
  family.misfit = fit.misfit;
  return family;
}

std::optional<IkFamily> as_planar_3r(const Skeleton& s) {
  Fit fit{s.size};
  const Axis &one = s.axis[0], &two = s.axis[1], &three = s.axis[2];
  if (!fit.parallel(one.z, two.z) || !fit.parallel(one.z, three.z)) return {};
  const Vec first = two.p - one.p, x = part_across(first, one.z);
  const double l1 = x.dot(first);
  if (!fit.has_length(l1)) return {};
  const Base base{columns(x, one.z.cross(x), one.z), one.p + one.z * one.z.dot(s.X_WT.p - one.p)};
  const Vec wrist = base.seen(three.p);
  const double x2 = wrist[0] - l1, y2 = wrist[1], l2 = std::hypot(x2, y2);
  if (!fit.has_length(l2)) return {};
  IkFamily family;
  family.geometry = Planar3rGeometry<double>{l1, l2};
  const double elbow = tidy_angle(std::atan2(y2, x2));
  family.joints[1] = {sign_of(one.z.dot(two.z)), elbow};
  family.joints[2] = {sign_of(one.z.dot(three.z)), -elbow};
  set_frames(family, base, s.size);
  set_last_frame(family, s.X_WT, base.R, base.origin + base.R * Vec(wrist[0], wrist[1], 0), s.size);
  family.misfit = fit.misfit;
  return family;
}

std::optional<IkFamily> as_rpr(const Skeleton& s) {
  Fit fit{s.size};
  const Axis &one = s.axis[0], &slide = s.axis[1], &three = s.axis[2];
  if (!fit.across(one.z, slide.z) || !fit.parallel(slide.z, three.z)) return {};
  const Vec along = part_across(slide.z, one.z);
  const Base base{columns(along.cross(one.z), along, one.z), one.p + one.z * one.z.dot(three.p - one.p)};
  const Vec shoulder = base.seen(three.p), tool = base.seen(s.X_WT.p);
  const double x = tool[0] - shoulder[0], z = tool[2], a4 = std::hypot(x, z);
  if (!fit.has_length(a4)) return {};
  IkFamily family;
  family.geometry = RprGeometry<double>{tidy_length(shoulder[0], s.size), a4};
  family.joints[1] = {1, tidy_length(tool[1], s.size)};
  family.joints[2] = {sign_of(along.dot(three.z)), tidy_angle(std::atan2(-z, x))};
  set_frames(family, base, s.size);
  family.misfit = fit.misfit;
  return family;
}

/// Three axes each across the one before: the hand's frame, z along the first and y along the second, when the first
/// joint is as it is at q = 0, and theta of the second joint there.
struct Hand {
  Mat R_WH;
  double bend;
  [[nodiscard]] Mat last_axes() const { return R_WH * rotation_y(bend); }
};
Hand hand_of(const Vec& first, const Vec& second, const Vec& third) {
  const Vec y = part_across(second, first);
  const Mat R = columns(y.cross(first), y, first);
  return {R, tidy_angle(std::atan2(third.dot(R.col(0)), third.dot(R.col(2))))};
}

std::optional<IkFamily> as_spherical_wrist(const Skeleton& s) {
  Fit fit{s.size};
  const Axis &four = s.axis[3], &five = s.axis[4], &six = s.axis[5];
  Vec centre;
  if (!fit.across(four.z, five.z) || !fit.across(five.z, six.z) || !fit.meet(four, five, centre) ||
      !fit.passes(six, centre))
    return {};
  IkFamily family;
  Base base;
  const auto arm = fit_rrr(s, centre, fit, base, family);
  if (!arm) return {};
  const Hand hand = hand_of(four.z, five.z, six.z);
  const Mat R_0H = base.R.transpose() * hand.R_WH;
  // The forearm's frame F is the arm's plane turned up to where axis 4 lies in it (axis 5, where axis 4 stands across).
  const Vec in_plane = std::hypot(R_0H(0, 2), R_0H(2, 2)) > 0.1 ? R_0H.col(2) : R_0H.col(1);
  const double forearm = std::atan2(in_plane[2], in_plane[0]);
  const double tilt = tidy_angle(forearm - family.joints[1].offset - family.joints[2].offset);
  family.geometry = SphericalWristGeometry<double>{*arm, tilt, tidy_rotation(turn_up(-forearm) * R_0H)};
  family.joints[4].offset = hand.bend;
  set_frames(family, base, s.size);
  set_last_frame(family, s.X_WT, hand.last_axes(), centre, s.size);
  family.misfit = fit.misfit;
  return family;
}

std::optional<IkFamily> as_ur(const Skeleton& s) {
  Fit fit{s.size};
  const Axis &four = s.axis[3], &five = s.axis[4], &six = s.axis[5];
  Vec last;
  if (!fit.across(four.z, five.z) || !fit.across(five.z, six.z) || !fit.meet(five, six, last)) return {};
  IkFamily family;
  Base base;
  auto arm = fit_rrr(s, four.p, fit, base, family);
  const Vec parallel = -base.R.col(1);
  if (!arm || !fit.parallel(parallel, four.z)) return {};
  const Hand hand = hand_of(parallel, five.z, six.z);
  const Vec along = base.R.transpose() * hand.R_WH.col(1);  // axis 5
  const double psi = std::atan2(along[2], along[0]);
  const Vec beyond = base.seen(last) - base.seen(four.p);
  arm->d = tidy_length(-base.seen(last)[1], s.size);
  family.geometry = UrGeometry<double>{*arm, tidy_length(beyond[2] * along[0] - beyond[0] * along[2], s.size),
                                       tidy_length(beyond[0] * along[0] + beyond[2] * along[2], s.size)};
  family.joints[3] = {sign_of(parallel.dot(four.z)),
                      tidy_angle(psi - family.joints[1].offset - family.joints[2].offset)};
  family.joints[4].offset = hand.bend;
  set_frames(family, base, s.size);
  set_last_frame(family, s.X_WT, hand.last_axes(), last, s.size);
  family.misfit = fit.misfit;
  return family;
}

}  // namespace

int IkFamily::branches() const {
  constexpr std::array count{4, 2, 4, 8, 8};  // in the order of IkGeometry
  return count[geometry.index()];
}

bool IkFamily::position_only() const {
  return std::holds_alternative<RrrGeometry<double>>(geometry) || std::holds_alternative<RprGeometry<double>>(geometry);
}

std::string_view IkFamily::name() const {
  constexpr std::array<std::string_view, 5> names{"RRR", "planar 3R", "RPR", "6R with a spherical wrist",
                                                  "6R with three parallel axes"};
  return names[geometry.index()];
}

std::optional<IkFamily> closed_form_family(const Arm& arm) {
  if (arm.dof() != 3 && arm.dof() != 6) return {};
  const Skeleton s = skeleton_of(arm);
  std::array<char, 7> kinds{};
  for (int i = 0; i < arm.dof(); ++i) kinds[i] = arm.body(i).revolute ? 'R' : 'P';
  const std::string_view chain(kinds.data(), static_cast<std::size_t>(arm.dof()));
  if (chain == "RPR") return as_rpr(s);
  if (chain == "RRR") {
    const auto planar = as_planar_3r(s);
    return planar ? planar : as_rrr(s);
  }
  if (chain == "RRRRRR") {
    const auto wrist = as_spherical_wrist(s);
    return wrist ? wrist : as_ur(s);
  }
  return {};
}

}  // namespace armature::algorithms
