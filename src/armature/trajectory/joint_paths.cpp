#include "armature/trajectory/joint_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::trajectory {

namespace {

void check_joints(std::size_t n) {
  if (n < 1 || n > max_joints)
    throw Error(fmt::format("a trajectory of {} joints", n), fmt::format("1 to {} joints are supported", max_joints));
}

/// offset + scale * motion
PiecewisePolynomial scaled(const PiecewisePolynomial& motion, double offset, double scale) {
  std::vector<PiecewisePolynomial::Piece> pieces = motion.pieces();
  for (auto& piece : pieces) {
    for (double& c : piece.c) c *= scale;
    piece.c[0] += offset;
  }
  return {std::move(pieces), motion.duration()};
}

void resize(JointMotion& motion, int n) {
  motion.q.resize(n);
  motion.qd.resize(n);
  motion.qdd.resize(n);
}

}  // namespace

PolynomialPath::PolynomialPath(std::vector<PiecewisePolynomial> coordinates) : coordinates_(std::move(coordinates)) {
  check_joints(coordinates_.size());
  for (const PiecewisePolynomial& coordinate : coordinates_) duration_ = std::max(duration_, coordinate.duration());
}

void PolynomialPath::at(double t, JointMotion& motion) const noexcept {
  resize(motion, joints());
  for (int i = 0; i < joints(); ++i) {
    const ScalarMotion m = coordinates_[i].at(t);
    motion.q[i] = m.x;
    motion.qd[i] = m.v;
    motion.qdd[i] = m.a;
  }
}

PolynomialPath polynomial_move(const VecX<double>& from, const VecX<double>& to, int order, double duration) {
  if (from.size() != to.size()) throw Error("a motion's ends differ in size", "give one number per joint for both");
  const PiecewisePolynomial step = polynomial_step(order, duration);
  std::vector<PiecewisePolynomial> coordinates;
  for (int i = 0; i < from.size(); ++i) coordinates.push_back(scaled(step, from[i], to[i] - from[i]));
  return PolynomialPath(std::move(coordinates));
}

PolynomialPath fastest_move(const VecX<double>& from, const VecX<double>& to,
                            const std::vector<ProfileLimits>& limits) {
  const auto n = static_cast<std::size_t>(from.size());
  if (from.size() != to.size() || limits.size() != n)
    throw Error("a motion's ends and limits differ in size", "give one per joint");
  std::vector<PiecewisePolynomial> coordinates;
  double slowest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    coordinates.push_back(fastest_step(to[k] - from[k], limits[i]));
    slowest = std::max(slowest, coordinates.back().duration());
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (slowest > 0) coordinates[i] = stretched(coordinates[i], slowest);
    coordinates[i] = scaled(coordinates[i], from[i], 1);
  }
  return PolynomialPath(std::move(coordinates));
}

PolynomialPath spline_path(const std::vector<double>& t, const std::vector<VecX<double>>& waypoints, SplineKind kind) {
  if (waypoints.empty()) throw Error("a spline without waypoints", "give two or more");
  std::vector<PiecewisePolynomial> coordinates;
  for (Eigen::Index i = 0; i < waypoints.front().size(); ++i) {
    std::vector<double> x;
    for (const VecX<double>& waypoint : waypoints) {
      if (waypoint.size() != waypoints.front().size())
        throw Error("waypoints differ in size", "give one number per joint");
      x.push_back(waypoint[i]);
    }
    coordinates.push_back(kind == SplineKind::cubic ? cubic_spline(t, x) : quintic_spline(t, x));
  }
  return PolynomialPath(std::move(coordinates));
}

FourierPath::FourierPath(double base_frequency, std::vector<Joint> joints)
    : base_frequency_(base_frequency), joints_(std::move(joints)) {
  check_joints(joints_.size());
  if (!(base_frequency > 0) || !std::isfinite(base_frequency))
    throw Error(fmt::format("a base frequency of {} Hz", base_frequency), "it is positive");
  for (const Joint& joint : joints_)
    if (joint.sine.size() != joint.cosine.size())
      throw Error("a Fourier series needs as many sines as cosines", "pad with zeros");
}

//  The harmonics' sines and cosines follow from the first pair by rotation: two functions a call, whatever their number.
void FourierPath::at(double t, JointMotion& motion) const noexcept {
  const double w = 2 * pi * base_frequency_;
  const double s1 = std::sin(w * t), c1 = std::cos(w * t);
  resize(motion, joints());
  for (int i = 0; i < joints(); ++i) {
    const Joint& joint = joints_[i];
    double q = joint.offset, qd = 0, qdd = 0, s = s1, c = c1;
    for (std::size_t k = 0; k < joint.sine.size(); ++k) {
      const double wk = w * static_cast<double>(k + 1);
      q += (joint.sine[k] * s - joint.cosine[k] * c) / wk;
      qd += joint.sine[k] * c + joint.cosine[k] * s;
      qdd += wk * (joint.cosine[k] * c - joint.sine[k] * s);
      const double next = s * c1 + c * s1;
      c = c * c1 - s * s1;
      s = next;
    }
    motion.q[i] = q;
    motion.qd[i] = qd;
    motion.qdd[i] = qdd;
  }
}

}  // namespace armature::trajectory
