#include <fmt/format.h>

#include <cmath>

#include "armature/run/internal/reference.hpp"
#include "armature/run/internal/table_beside.hpp"
#include "armature/trajectory/joint_paths.hpp"

namespace armature::run {

namespace {

VecX<double> vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), numbers.size());
}

void need(const LoadedScenario& loaded, bool there, const char* key) {
  const std::string& kind = loaded.scenario.reference.kind;
  if (!there)
    loaded.refuse("reference", fmt::format("a reference of kind '{}' needs the key '{}'", kind, key),
                  "see armature simulate --help-keys");
}

/// A joint trajectory as a reference, after standing still for `begin`, made `repeat` times.
template <JointTrajectory T>
ReferenceSource follow(T path, const ReferenceSettings& s, bool periodic = false) {
  return [path = std::move(path), begin = s.begin, repeat = s.repeat, periodic](double t, Reference& r) {
    const double since = std::max(0.0, t - begin);
    JointMotion motion;
    path.at(periodic ? since : time_of_round(since, path.duration(), repeat), motion);
    r.q = motion.q;
    r.qd = motion.qd;
    r.qdd = motion.qdd;
    if (t < begin) {
      r.qd.setZero();
      r.qdd.setZero();
    }
  };
}

ProfileLimits limits_of(const LoadedScenario& loaded, int i) {
  const ReferenceSettings& s = loaded.scenario.reference;
  const Limits& limits = loaded.arm.joint(i).limits;
  need(loaded, !s.velocity.empty() || limits.velocity, "velocity");
  need(loaded, !s.acceleration.empty() || limits.acceleration, "acceleration");
  return {.velocity = s.velocity.empty() ? *limits.velocity : s.velocity[i],
          .acceleration = s.acceleration.empty() ? *limits.acceleration : s.acceleration[i],
          .jerk = s.jerk.empty() ? 0 : s.jerk[i]};
}

ReferenceSource spline(const LoadedScenario& loaded) {
  const ReferenceSettings& s = loaded.scenario.reference;
  need(loaded, !s.times.empty(), "times");
  need(loaded, !s.waypoints.empty(), "waypoints");
  if (s.times.size() != s.waypoints.size())
    loaded.refuse("reference.waypoints",
                  fmt::format("reference has {} times and {} waypoints", s.times.size(), s.waypoints.size()),
                  "one list of joint positions a time");
  if (s.order != 3 && s.order != 5)
    loaded.refuse("reference.order", fmt::format("a spline of order {}", s.order), "3 or 5");
  std::vector<VecX<double>> points;
  for (const auto& row : s.waypoints) points.push_back(vector_of(row));
  return follow(spline_path(s.times, points, s.order == 3 ? SplineKind::cubic : SplineKind::quintic), s);
}

/// A motion that was designed or measured: columns q1, v1, a1 and so on, from the first row's time on. Without velocities a cubic
/// spline goes through the positions, at rest at both ends.
ReferenceSource table(const LoadedScenario& loaded) {
  const ReferenceSettings& s = loaded.scenario.reference;
  need(loaded, !s.table.empty(), "table");
  const TableBeside rows(loaded, "reference.table", s.table);
  std::vector<double> times = rows.time();
  for (double& t : times) t -= rows.time().front();
  std::vector<PiecewisePolynomial> joints;
  for (int i = 0; i < loaded.arm.dof(); ++i) {
    const bool turns = loaded.arm.body(i).revolute;
    const auto column = [&](const char* name, Dimension of_angle, Dimension of_length) {
      return rows.column(fmt::format("{}{}", name, i + 1), turns ? of_angle : of_length);
    };
    const std::vector<double> q = column("q", dimension::angle, dimension::length),
                              v = column("v", dimension::rate, dimension::speed),
                              a = column("a", dimension::angular_acceleration, dimension::acceleration);
    if (q.empty())
      rows.refuse(fmt::format("has no column 'q{}'", i + 1),
                  fmt::format("time [s] and q1 to q{}; v1 and a1 and so on may be there", loaded.arm.dof()));
    joints.push_back(v.empty() ? cubic_spline(times, q) : through_samples(times, q, v, a));
  }
  return follow(PolynomialPath(std::move(joints)), s);
}

/// One number for all joints, or one per joint.
std::vector<double> spread(const LoadedScenario& loaded, const char* key, const std::vector<double>& numbers,
                           double otherwise) {
  const std::size_t n = loaded.arm.dof();
  if (numbers.empty()) return std::vector<double>(n, otherwise);
  if (numbers.size() == 1) return std::vector<double>(n, numbers[0]);
  if (numbers.size() != n)
    loaded.refuse(fmt::format("reference.{}", key), fmt::format("reference.{} has {} numbers", key, numbers.size()),
                  fmt::format("one for all joints, or one per joint: {}", n));
  return numbers;
}

//  q = from + A sin(2 π f t + phase) - A sin(phase): it starts at `from`.
ReferenceSource sines(const LoadedScenario& loaded, const VecX<double>& from) {
  const ReferenceSettings& s = loaded.scenario.reference;
  need(loaded, !s.amplitude.empty(), "amplitude");
  need(loaded, !s.frequency.empty(), "frequency");
  const std::vector<double> f = spread(loaded, "frequency", s.frequency, 1),
                            phase = spread(loaded, "phase", s.phase, 0);
  return [from, A = s.amplitude, f, phase, begin = s.begin](double t, Reference& r) {
    const Eigen::Index n = from.size();
    r.q = from;
    r.qd = VecX<double>::Zero(n);
    r.qdd = VecX<double>::Zero(n);
    if (t < begin) return;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double w = 2 * pi * f[i], angle = w * (t - begin) + phase[i];
      r.q[i] += A[i] * (std::sin(angle) - std::sin(phase[i]));
      r.qd[i] = A[i] * w * std::cos(angle);
      r.qdd[i] = -A[i] * w * w * std::sin(angle);
    }
  };
}

}  // namespace

ReferenceSource joint_reference(const LoadedScenario& loaded, const VecX<double>& from) {
  const ReferenceSettings& s = loaded.scenario.reference;
  const VecX<double> to = s.to.empty() ? from : vector_of(s.to);
  if (s.kind == "hold" || s.kind == "step") {
    const double begin = s.kind == "step" ? s.begin : 0;
    return [from, to, begin](double t, Reference& r) {
      r.q = t < begin ? from : to;
      r.qd = r.qdd = VecX<double>::Zero(to.size());
    };
  }
  if (s.kind == "polynomial") return follow(polynomial_move(from, to, s.order, s.duration), s);
  if (s.kind == "fastest") {
    std::vector<ProfileLimits> limits;
    for (int i = 0; i < loaded.arm.dof(); ++i) limits.push_back(limits_of(loaded, i));
    return follow(fastest_move(from, to, limits), s);
  }
  if (s.kind == "spline") return spline(loaded);
  if (s.kind == "sine") return sines(loaded, from);
  if (s.kind == "table") return table(loaded);
  need(loaded, !s.sine.empty(), "sine");
  need(loaded, !s.cosine.empty(), "cosine");
  std::vector<FourierPath::Joint> joints;
  for (int i = 0; i < loaded.arm.dof(); ++i) joints.push_back({from[i], s.sine[i], s.cosine[i]});
  return follow(FourierPath(s.base_frequency, std::move(joints)), s, true);
}

}  // namespace armature::run
