#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <memory>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/runge_kutta.hpp"
#include "armature/run/internal/reference.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/trajectory/cartesian.hpp"
#include "armature/trajectory/handwriting.hpp"

namespace armature::run {

namespace {

using ToolMotion = std::function<void(double t, CartesianMotion& motion)>;

struct ToolPath {
  ToolMotion at;
  double duration = 0;   // [s]
  bool oriented = true;  // it says how the tool is turned
};

void need_points(const LoadedScenario& loaded, std::size_t count, const char* which) {
  const ReferenceSettings& s = loaded.scenario.reference;
  const bool enough = count > 0 ? s.points.size() == count : !s.points.empty();
  if (!enough)
    loaded.refuse("reference.points", fmt::format("a reference of kind '{}' has {} points", s.kind, s.points.size()),
                  fmt::format("after the tool's start it needs {}", which));
}

PiecewisePolynomial time_law(const LoadedScenario& loaded, double length) {
  const ReferenceSettings& s = loaded.scenario.reference;
  if (s.path_speed == 0) return polynomial_step(s.order, s.duration);
  if (s.path_acceleration == 0)
    loaded.refuse("reference.path_speed", "reference.path_speed is given without path_acceleration",
                  "a trapezoid of speed needs both");
  if (!(length > 0))
    loaded.refuse("reference.path_speed", "the tool's path has no length",
                  "give order and duration in place of speeds");
  return fastest_step(1, {s.path_speed / length, s.path_acceleration / length, s.path_jerk / length});
}

Curve curve_of(const LoadedScenario& loaded, const Vec3<double>& start) {
  const ReferenceSettings& s = loaded.scenario.reference;
  const auto point = [&](std::size_t i) { return vec3(s.points[i]); };
  if (s.kind == "pose" || s.kind == "line") {
    if (s.points.empty() && !s.rpy.empty()) return line(start, start);  // only turns
    need_points(loaded, 1, "one: where it ends");
    return line(start, point(0));
  }
  if (s.kind == "arc") {
    need_points(loaded, 2, "two: one on the way, and where it ends");
    return arc_through(start, point(0), point(1));
  }
  if (s.kind == "circle") {
    need_points(loaded, 2, "two more points of the circle");
    const Vec3<double> a = point(0) - start, b = point(1) - start, axis = a.cross(b);
    (void)circle_through(start, point(0), point(1));  // refuses three points on a line
    const Vec3<double> centre =
        start + (a.squaredNorm() * b - b.squaredNorm() * a).cross(axis) / (2 * axis.squaredNorm());
    return arc_about(centre, axis, start, 2 * pi * s.turns);
  }
  need_points(loaded, 0, "at least one");
  std::vector<Vec3<double>> points{start};
  for (const auto& p : s.points) points.push_back(vec3(p));
  return blended_polyline(points, s.blend);
}

ToolPath written(const LoadedScenario& loaded) {
  const ReferenceSettings& s = loaded.scenario.reference;
  HandwritingSettings h = s.writing;
  h.duration = s.duration;
  h.plane = {rotation_from_rpy(s.writing.rpy), s.writing.xyz};
  const auto pen =
      std::make_shared<const Handwriting>(loaded.placed("reference.writing", [&] { return Handwriting(h); }));
  return {[pen](double t, CartesianMotion& m) { pen->at(t, m); }, pen->duration(), false};
}

ToolPath path_of(const LoadedScenario& loaded, const Pose<double>& start) {
  const ReferenceSettings& s = loaded.scenario.reference;
  if (s.kind == "writing") return written(loaded);
  const Mat3<double> end = s.rpy.empty() ? start.R : rotation_from_rpy(vec3(s.rpy));
  const Curve curve = curve_of(loaded, start.p);
  if (s.kind == "pose") {  // at once
    const CartesianMotion there{.position = curve.at(curve.length()).position, .rotation = end};
    const CartesianMotion before{.position = start.p, .rotation = start.R};
    const double begin = s.begin;
    return {[there, before, begin](double t, CartesianMotion& m) { m = t < 0 && begin > 0 ? before : there; }, 0,
            !s.rpy.empty()};
  }
  const auto move =
      std::make_shared<const CartesianMove>(curve, time_law(loaded, curve.length()), Orientations{start.R, end});
  return {[move](double t, CartesianMotion& m) { move->at(t, m); }, move->duration(), !s.rpy.empty()};
}

IkTask task_of(const LoadedScenario& loaded, bool oriented) {
  const std::string& word = loaded.scenario.reference.task;
  if (word == "position") return IkTask::position;
  if (word == "planar") return IkTask::planar;
  if (word == "pose") return IkTask::pose;
  const Arm& arm = loaded.believed;
  if (arm.dof() >= 6) return IkTask::pose;
  if (!oriented) return IkTask::position;
  const LinkPoses<double> poses = forward_kinematics<double>(arm, VecX<double>::Zero(arm.dof()));
  bool planar = arm.dof() >= 3;
  for (int i = 0; i < arm.dof(); ++i)
    planar = planar && arm.body(i).revolute && poses.X_WB[i].R.col(2).cross(poses.X_WB[0].R.col(2)).norm() < 1e-9;
  return planar ? IkTask::planar : IkTask::position;
}

/// Joint motions behind a path of the tool: resolved along the path once, so that each time has its own guess. Among the
/// velocities that move the tool as wanted it takes the smallest,
///     qd = J⁺ xd,   qdd = J⁺ (xdd - Jd qd) + (1 - J⁺ J) Jdᵀ J⁺ᵀ qd,
/// and follows them from the solution at the start; iteration takes away what the steps leave [Siciliano2009, 3.5].
class Inverted {
 public:
  Inverted(const LoadedScenario& loaded, ToolPath path, const VecX<double>& start, std::vector<std::string>& warnings)
      : arm_(loaded.believed), path_(std::move(path)), start_(start) {
    settings_.task = task_of(loaded, path_.oriented);
    settings_.keep_limits = false;
    rows_ = settings_.task == IkTask::position ? 3 : 6;
    const auto cells = static_cast<std::size_t>(std::min(20000.0, std::ceil(path_.duration / 5e-3)));
    grid_ = cells > 0 ? path_.duration / static_cast<double>(cells) : 1;
    double worst = 0, worst_time = 0;
    for (std::size_t i = 0; i <= cells; ++i) {
      const double t = static_cast<double>(i) * grid_;
      IkSettings settings = settings_;
      settings.restarts = i == 0 ? 50 : 0;
      const IkResult result = inverse_kinematics(arm_, pose_at(t), i == 0 ? start : step(t - grid_), settings);
      if (result.status != IkStatus::reached && result.error.position > worst + 1e-9) {
        worst = result.error.position;
        worst_time = t;
      }
      nodes_.push_back({result.q, velocity(t, result.q)});
    }
    if (worst > 0)
      warnings.push_back(fmt::format(
          "the tool's reference is out of reach: at {:.4g} s the tool comes no nearer to it than {:.4g} m; the "
          "joints follow the nearest point that it reaches",
          loaded.scenario.reference.begin + worst_time, worst));
    reached_ = worst == 0;
    settings_.restarts = 0;
  }

  [[nodiscard]] double duration() const { return path_.duration; }

  void at(double t, Reference& r) const {
    CartesianMotion motion;
    path_.at(t, motion);
    r.X_WT = {motion.rotation, motion.position};
    r.twist << motion.velocity, motion.angular_velocity;
    r.acceleration << motion.acceleration, motion.angular_acceleration;
    if (!reached_) {
      r.q = t < 0 ? start_ : between(t, false);
      r.qd = r.qdd = VecX<double>::Zero(arm_.dof());
      return;
    }
    r.q = inverse_kinematics(arm_, r.X_WT, t < 0 ? start_ : between(t, true), settings_).q;
    const LinkPoses<double> poses = forward_kinematics<double>(arm_, r.q);
    const Mat6X<double> J = tool_jacobian(arm_, poses);
    const Eigen::MatrixXd inverse = pseudo_inverse(J.topRows(rows_));
    r.qd = inverse * r.twist.head(rows_);
    const Mat6X<double> Jd = tool_jacobian_rate(arm_, poses, r.qd);
    const VecX<double> swing = Jd.topRows(rows_).transpose() * (inverse.transpose() * r.qd);
    r.qdd = inverse * (r.acceleration - Jd * r.qd).head(rows_) + swing - inverse * (J.topRows(rows_) * swing);
    if (!path_.oriented) {  // the tool turns as the joints that follow the path turn it
      r.X_WT.R = tool_pose(arm_, poses).R;
      r.twist.tail<3>() = (J * r.qd).tail<3>();
      r.acceleration.tail<3>() = (J * r.qdd + Jd * r.qd).tail<3>();
    }
  }

 private:
  struct Node {
    VecX<double> q, qd;
  };

  [[nodiscard]] Pose<double> pose_at(double t) const {
    CartesianMotion motion;
    path_.at(t, motion);
    return {motion.rotation, motion.position};
  }
  [[nodiscard]] VecX<double> velocity(double t, const VecX<double>& q) const {
    CartesianMotion motion;
    path_.at(t, motion);
    Vec6<double> twist;
    twist << motion.velocity, motion.angular_velocity;
    const Eigen::MatrixXd J = tool_jacobian(arm_, forward_kinematics<double>(arm_, q)).topRows(rows_);
    return pseudo_inverse(J) * twist.head(rows_);
  }
  /// From the last node over one cell, by the classical Runge–Kutta method.
  [[nodiscard]] VecX<double> step(double t) const {
    const VecX<double>& q = nodes_.back().q;
    const VecX<double> next = classical_step(q, grid_, nodes_.back().qd, [&](double share, const VecX<double>& at) {
      return velocity(t + share * grid_, at);
    });
    return (next - q).cwiseAbs().maxCoeff() < 0.5 ? next : q;  // beside a singularity iteration does better
  }
  /// Between two nodes: the cubic through their positions and velocities, or the line.
  [[nodiscard]] VecX<double> between(double t, bool cubic) const {
    const double cell = std::clamp(t / grid_, 0.0, static_cast<double>(nodes_.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(cell), nodes_.size() - 1);
    const Node &a = nodes_[i], &b = nodes_[std::min(i + 1, nodes_.size() - 1)];
    const double s = cell - static_cast<double>(i);
    if (!cubic) return a.q + s * (b.q - a.q);
    const double h01 = s * s * (3 - 2 * s), h10 = s * (1 - s) * (1 - s), h11 = s * s * (s - 1);
    return a.q + h01 * (b.q - a.q) + grid_ * (h10 * a.qd + h11 * b.qd);
  }

  Arm arm_;
  ToolPath path_;
  VecX<double> start_;
  IkSettings settings_;
  Eigen::Index rows_ = 6;
  double grid_ = 1;  // [s]
  bool reached_ = true;
  std::vector<Node> nodes_;
};

}  // namespace

ReferenceSource tool_reference(const LoadedScenario& loaded, const VecX<double>& from,
                               std::vector<std::string>& warnings) {
  const ReferenceSettings& s = loaded.scenario.reference;
  const Arm& arm = loaded.believed;
  const Pose<double> start = tool_pose(arm, forward_kinematics<double>(arm, from));
  ToolPath path = path_of(loaded, start);
  if (s.kind != "writing" && !path.oriented && arm.dof() >= 6) path.oriented = true;  // it keeps its orientation
  const auto inverted = std::make_shared<const Inverted>(loaded, std::move(path), from, warnings);
  return [inverted, begin = s.begin, repeat = s.repeat](double t, Reference& r) {
    inverted->at(time_of_round(t - begin, inverted->duration(), repeat), r);
    if (t < begin) {
      r.qd.setZero();
      r.qdd.setZero();
      r.twist.setZero();
      r.acceleration.setZero();
    }
  };
}

}  // namespace armature::run
