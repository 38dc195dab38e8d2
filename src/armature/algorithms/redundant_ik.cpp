#include "armature/algorithms/redundant_ik.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/internal/ik_branches.hpp"

// Joint i turns everything beyond it about its axis as that lies at q = 0, so the product of the seven turns is the displacement G of
// the tool from there [Lynch2017, 4.1]. Wrist and shoulder make it fall into the subproblems of Paden and Kahan [Murray1994, 3.3].

namespace armature::algorithms {

namespace {

using Point = Vec3<double>;
using Turn = Mat3<double>;

constexpr double of_the_family = 1e-5;  // misfit up to which an arm counts
constexpr double no_direction = 1e-10;  // sine or relative length below which there is none

Turn turn_about(const Point& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }
Point across(const Point& a, const Point& z) { return a - z * z.dot(a); }
Point any_across(const Point& z) {
  Eigen::Index least = 0;
  z.cwiseAbs().minCoeff(&least);
  return across(Point::Unit(least), z).normalized();
}

/// One branch as it is solved, joint by joint.
struct Solving {
  const VecX<double>& near;
  IkSolution solution;

  /// The joint turns `from` to `to`. Where both lie along its axis it is free and stays where it was.
  Turn turn(int joint, const Point& axis, const Point& from, const Point& to) {
    const Point u = across(from, axis), v = across(to, axis);
    if (u.norm() < no_direction || v.norm() < no_direction) {
      solution.free.set(joint);
      solution.q[joint] = near[joint];
    } else {
      solution.q[joint] = std::atan2(axis.dot(u.cross(v)), u.dot(v));
    }
    return turn_about(axis, solution.q[joint]);
  }
  /// Three joints whose axes meet make the turn R, the middle one bending one way or the other.
  void three_turns(int first, const std::array<Point, 7>& axis, const Turn& R, double sign) {
    const Point &a = axis[first], &b = axis[first + 1], &c = axis[first + 2], r = R * c;
    // The direction of the third axis after the second turn has the given parts along the first two axes.
    const double ab = a.dot(b), along_a = r.dot(a), along_b = c.dot(b), square = 1 - ab * ab;
    const double x = (along_a - ab * along_b) / square, y = (along_b - ab * along_a) / square;
    const double rest = (1 - x * x - y * y - 2 * x * y * ab) / square;
    const Point between = a * x + b * y + a.cross(b) * (sign * std::sqrt(std::max(0.0, rest)));
    const Turn second = turn(first + 1, b, c, between);
    const Turn both = turn(first, a, second * c, r) * second;
    const Point mark = any_across(c);
    turn(first + 2, c, mark, both.transpose() * R * mark);
  }
};

/// Right-handed axes with x along `x` and y towards `y`.
Turn axes_of(const Point& x, const Point& y) {
  Turn R;
  R.col(0) = x.normalized();
  R.col(1) = across(y, R.col(0)).normalized();
  R.col(2) = R.col(0).cross(R.col(1));
  return R;
}

/// Axes of the arm's plane, at arm angle zero: x from shoulder to wrist, y where axis 4 points.
Turn plane_of(const RedundantFamily& f, const Point& to_wrist) {
  const Point y = f.axis[0].cross(to_wrist);
  return axes_of(to_wrist, y.norm() > no_direction * to_wrist.norm() ? y : f.axis[1].cross(to_wrist).eval());
}

/// The point where a joint's axis carries p.
Point carried(const Point& axis, const Point& on_axis, double angle, const Point& p) {
  return on_axis + turn_about(axis, angle) * (p - on_axis);
}

/// The elbow brings the wrist to the distance from the shoulder that the target asks for; the nearest it can, where it cannot.
double elbow_position(const RedundantFamily& f, double distance, double sign) {
  const Point wrist = f.wrist - f.elbow, shoulder = f.shoulder - f.elbow, &axis = f.axis[3];
  const Point x = across(wrist, axis), y = across(shoulder, axis);
  const double along = axis.dot(wrist - shoulder);
  const double cosine =
      (x.squaredNorm() + y.squaredNorm() - (distance * distance - along * along)) / (2 * x.norm() * y.norm());
  return std::atan2(axis.dot(x.cross(y)), x.dot(y)) + sign * std::acos(std::clamp(cosine, -1.0, 1.0));
}

/// The arm angle at which axes 5 and 6 include the angle they do: `body` are the arm's axes as the elbow leaves them, `plane` those at
/// arm angle zero, `six` is where axis 6 points in the end.
double angle_for_axis_six(const RedundantFamily& f, const Turn& body, const Turn& plane, const Turn& elbow,
                          const Point& six, double sign) {
  const Point b = body.transpose() * (elbow * f.axis[4]), g = plane.transpose() * six;
  const double c = g[1] * b[1] + g[2] * b[2], s = g[2] * b[1] - g[1] * b[2];
  const double cosine = (f.axis[4].dot(f.axis[5]) - g[0] * b[0]) / std::hypot(c, s);
  return std::atan2(s, c) + sign * std::acos(std::clamp(std::isfinite(cosine) ? cosine : 1.0, -1.0, 1.0));
}

IkSolution branch_of(const RedundantFamily& f, const Pose<double>& target, double redundancy, const VecX<double>& near,
                     int branch) {
  const double shoulder = branch & 4 ? -1 : 1, elbow = branch & 2 ? -1 : 1, wrist = branch & 1 ? -1 : 1;
  Solving solving{near, {.q = near}};
  VecX<double>& q = solving.solution.q;
  Pose<double> G = target * f.X_TW;
  if (!f.spherical_wrist) {  // take the last turn away: what is left ends in axis 6
    q[6] = redundancy;
    const Turn last = turn_about(f.axis[6], -redundancy);
    G = G * Pose<double>{last, f.last - last * f.last};
  }
  const Point to_wrist = G * f.wrist - f.shoulder;
  q[3] = elbow_position(f, to_wrist.norm(), elbow);
  const Turn turned = turn_about(f.axis[3], q[3]);
  const Turn body = axes_of(carried(f.axis[3], f.elbow, q[3], f.wrist) - f.shoulder, f.axis[3]);
  const Turn plane = plane_of(f, to_wrist);
  const double arm_angle =
      f.spherical_wrist ? redundancy : angle_for_axis_six(f, body, plane, turned, G.R * f.axis[5], wrist);
  const Turn upper_arm = plane * turn_about(Point::UnitX(), arm_angle) * body.transpose();
  solving.three_turns(0, f.axis, upper_arm, shoulder);
  const Turn hand = (upper_arm * turned).transpose() * G.R;
  if (f.spherical_wrist) {
    solving.three_turns(4, f.axis, hand, wrist);
  } else {
    const Turn five = solving.turn(4, f.axis[4], f.axis[5], hand * f.axis[5]);
    const Point mark = any_across(f.axis[5]);
    solving.turn(5, f.axis[5], mark, five.transpose() * hand * mark);
  }
  return solving.solution;
}

/// The middle of the shortest way between two lines, and how far they miss each other.
struct Crossing {
  Point middle;
  double gap;
};
Crossing crossing(const Point& p, const Point& a, const Point& r, const Point& b) {
  const Point between = r - p;
  const double c = a.dot(b), along_a = between.dot(a), along_b = between.dot(b), square = 1 - c * c;
  const Point on_a = p + a * ((along_a - c * along_b) / square), on_b = r + b * ((c * along_a - along_b) / square);
  return {(on_a + on_b) / 2, (on_a - on_b).norm()};
}

}  // namespace

std::optional<RedundantFamily> redundant_family(const Arm& arm) {
  if (arm.dof() != 7) return {};
  const LinkPoses<double> poses = forward_kinematics<double>(arm, VecX<double>::Zero(7));
  RedundantFamily f;
  std::array<Point, 7> on;
  double size = 0;
  for (int i = 0; i < 7; ++i) {
    if (!arm.body(i).revolute) return {};
    f.axis[i] = poses.X_WB[i].R.col(2);
    on[i] = poses.X_WB[i].p;
    size += i < 6 ? arm.body(i + 1).X_PB0.p.norm() : arm.X_BT().p.norm();
  }
  const auto inclined = [&](int i, int k) { return f.axis[i].cross(f.axis[k]).norm() > 0.1; };
  if (!inclined(0, 1) || !inclined(1, 2) || !inclined(4, 5) || !inclined(5, 6)) return {};
  const Crossing shoulder = crossing(on[0], f.axis[0], on[1], f.axis[1]),
                 wrist = crossing(on[4], f.axis[4], on[5], f.axis[5]);
  const auto missed_by = [](const Point& axis, const Point& on_axis, const Point& p) {
    return across(p - on_axis, axis).norm();
  };
  f.shoulder = shoulder.middle;
  f.wrist = wrist.middle;
  f.elbow = on[3];
  f.last = on[6];
  f.X_TW = tool_pose(arm, poses).inverse();
  f.misfit = std::max({shoulder.gap, missed_by(f.axis[2], on[2], f.shoulder), wrist.gap}) / size;
  const double apart = missed_by(f.axis[6], f.last, f.wrist) / size;
  f.spherical_wrist = apart < of_the_family;
  if (f.spherical_wrist) f.misfit = std::max(f.misfit, apart);
  // The elbow must move the wrist towards the shoulder and away.
  const bool bends = missed_by(f.axis[3], f.elbow, f.wrist) > of_the_family * size &&
                     missed_by(f.axis[3], f.elbow, f.shoulder) > of_the_family * size;
  if (!(f.misfit < of_the_family) || !bends) return {};
  return f;
}

double redundancy_at(const RedundantFamily& f, const VecX<double>& q) {
  if (!f.spherical_wrist) return q[6];
  const Turn upper_arm = turn_about(f.axis[0], q[0]) * turn_about(f.axis[1], q[1]) * turn_about(f.axis[2], q[2]);
  const Point to_wrist = upper_arm * (carried(f.axis[3], f.elbow, q[3], f.wrist) - f.shoulder);
  const Point four = plane_of(f, to_wrist).transpose() * (upper_arm * f.axis[3]);
  return std::atan2(four[2], four[1]);
}

IkSolutions redundant_ik(const Arm& arm, const RedundantFamily& family, const Pose<double>& target, double redundancy,
                         const VecX<double>& near) {
  const VecX<double> here = start_near(arm, near);
  return solutions_of_branches(arm, target, IkTask::pose, here, RedundantFamily::branches, family.misfit,
                               [&](int branch) { return branch_of(family, target, redundancy, here, branch); });
}

}  // namespace armature::algorithms
