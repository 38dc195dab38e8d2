#include "armature/identification/excitation_objective.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "armature/algorithms/derivatives.hpp"
#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/regressor_slope.hpp"
#include "armature/core/threads.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/scalar/dual.hpp"

namespace armature::identification {

namespace {

/// max(0, x)² with its slope.
double hinge(double x, double& slope) {
  slope = x > 0 ? 2 * x : 0;
  return x > 0 ? x * x : 0;
}

/// Width of the smoothed sign of friction columns: narrow against the speeds, wide enough for the samples to see it.
double sign_width(double velocity_limit) { return std::isfinite(velocity_limit) ? 0.01 * velocity_limit : 0.01; }

}  // namespace

ExcitationObjective::ExcitationObjective(const ExcitationTask& task, double base_frequency, int harmonics, int samples)
    : task_(task),
      basis_(base_frequency, harmonics, samples),
      columns_(task.columns.columns * task.parameter_scale.asDiagonal()) {
  for (Eigen::Index k = 0; k < columns_.cols(); ++k) {
    Eigen::Index largest = 0;
    columns_.col(k).cwiseAbs().maxCoeff(&largest);
    if ((columns_.col(k).array() != 0).count() == 1) picked_.push_back(largest);
  }
  if (static_cast<Eigen::Index>(picked_.size()) < columns_.cols()) picked_.clear();
}

void ExcitationObjective::in_parallel(const std::function<void(int, int, int)>& work) const {
  std::atomic<int> next = 0;
  on_threads(std::min(task_.threads, chunks), [&] {
    for (int k = next++; k < chunks && !(stop && *stop); k = next++)
      work(k, static_cast<int>(static_cast<long>(basis_.samples()) * k / chunks),
           static_cast<int>(static_cast<long>(basis_.samples()) * (k + 1) / chunks));
  });
}

void ExcitationObjective::rows_of(const VecX<double>& q, const VecX<double>& v, const VecX<double>& a,
                                  Eigen::MatrixXd& W, Eigen::Ref<Eigen::MatrixXd> rows) const {
  const int n = task_.arm.dof(), links = parameters_per_link * n;
  W.setZero(n, columns_.rows());
  W.leftCols(links) = torque_regressor<double>(task_.arm, q, v, a);
  if (task_.columns.friction)
    for (int i = 0; i < n; ++i)
      W.block<1, 3>(i, links + 3 * i) << std::tanh(v[i] / sign_width(task_.limits.velocity[i])), v[i], 1;
  if (picked_.empty())
    rows.noalias() = W * columns_;
  else
    for (Eigen::Index k = 0; k < columns_.cols(); ++k) rows.col(k) = W.col(picked_[k]) * columns_(picked_[k], k);
  rows = task_.torque_scale.cwiseInverse().asDiagonal() * rows;
}

Eigen::MatrixXd ExcitationObjective::stacked(const MotionSamples& m, Eigen::MatrixXd& gram) const {
  const int n = task_.arm.dof();
  const Eigen::Index count = columns_.cols();
  Eigen::MatrixXd phi(static_cast<Eigen::Index>(n) * basis_.samples(), count);
  std::array<Eigen::MatrixXd, chunks> part;
  in_parallel([&](int chunk, int begin, int end) {
    Eigen::MatrixXd W;
    for (int s = begin; s < end; ++s)
      rows_of(m.q.col(s), m.v.col(s), m.a.col(s), W, phi.middleRows(static_cast<Eigen::Index>(n) * s, n));
    const auto own = phi.middleRows(static_cast<Eigen::Index>(n) * begin, static_cast<Eigen::Index>(n) * (end - begin));
    part[chunk].noalias() = own.transpose() * own;
  });
  gram.setZero(count, count);
  for (const Eigen::MatrixXd& p : part)
    if (p.size() > 0) gram += p;
  gram /= basis_.samples();
  return phi;
}

void ExcitationObjective::add_regressor_slope(const Eigen::MatrixXd& weights, int s, const MotionSamples& m,
                                              MotionSamples& slope) const {
  const int n = task_.arm.dof(), links = parameters_per_link * n;
  const VecX<double> q = m.q.col(s), v = m.v.col(s), a = m.a.col(s);
  const RegressorSlope own = regressor_slope(task_.arm, q, v, a, weights);
  slope.q.col(s) += own.q;
  slope.v.col(s) += own.qd;
  slope.a.col(s) += own.qdd;
  if (task_.columns.friction)
    for (int i = 0; i < n; ++i) {
      const double width = sign_width(task_.limits.velocity[i]), t = std::tanh(v[i] / width);
      slope.v(i, s) += weights(i, links + 3 * i) * (1 - t * t) / width + weights(i, links + 3 * i + 1);
    }
}

double ExcitationObjective::add_penalties(int s, const MotionSamples& m, MotionSamples& slope) const {
  const ExcitationLimits& limits = task_.limits;
  const int n = task_.arm.dof();
  const double allowed = 1 - margin;
  double value = 0, d = 0;
  const auto both_sides = [&](double x, double limit, double& gradient) {
    if (!std::isfinite(limit)) return;
    value += penalty * hinge(std::abs(x) / limit - allowed, d);
    gradient += penalty * d * (x > 0 ? 1 : -1) / limit;
  };
  for (int i = 0; i < n; ++i) {
    both_sides(m.v(i, s), limits.velocity[i], slope.v(i, s));
    both_sides(m.a(i, s), limits.acceleration[i], slope.a(i, s));
    const double low = limits.lower[i], high = limits.upper[i];
    const double scale = std::isfinite(high - low) ? (high - low) / 2 : 1;
    if (std::isfinite(high)) {
      value += penalty * hinge((m.q(i, s) - high) / scale + margin, d);
      slope.q(i, s) += penalty * d / scale;
    }
    if (std::isfinite(low)) {
      value += penalty * hinge((low - m.q(i, s)) / scale + margin, d);
      slope.q(i, s) -= penalty * d / scale;
    }
  }
  const VecX<double> q = m.q.col(s), v = m.v.col(s), a = m.a.col(s);
  if (limits.torque.array().isFinite().any()) {
    const VecX<double> tau = motion_torque(task_.arm, q, v, a);
    VecX<double> weight(n);
    for (int i = 0; i < n; ++i) {
      weight[i] = 0;
      both_sides(tau[i], limits.torque[i], weight[i]);
    }
    if (weight.cwiseAbs().maxCoeff() > 0) {
      const auto derivatives = inverse_dynamics_derivatives<double>(task_.arm, q, v, a);
      const VecX<double> load = inverse_dynamics<double>(task_.arm, q, v, a) + rotor_torque<double>(task_.arm, a);
      VecX<Dual> moved = v.cast<Dual>();
      for (int i = 0; i < n; ++i) {
        moved[i].slope = 1;
        const VecX<Dual> friction = smooth_friction<Dual>(task_.arm, moved, load.cast<Dual>());
        moved[i].slope = 0;
        for (int j = 0; j < n; ++j) slope.v(i, s) += weight[j] * friction[j].slope;
      }
      for (int i = 0; i < n; ++i) {
        const Friction& law = task_.arm.joint(i).friction;
        weight[i] *= 1 + smooth_friction<Dual>(law, Dual(v[i]), Dual(load[i], 1)).slope;
      }
      slope.a.col(s) += rotor_torque<double>(task_.arm, weight);  // the rotors' inertia is symmetric
      slope.q.col(s) += derivatives.dq.transpose() * weight;
      slope.v.col(s) += derivatives.dqd.transpose() * weight;
      slope.a.col(s) += derivatives.M.transpose() * weight;
    }
  }
  if (limits.workspace) {
    const LinkPoses<double> poses = forward_kinematics<double>(task_.arm, q);
    const Vec3<double> p = tool_pose(task_.arm, poses).p;
    const Vec3<double> size = limits.workspace->upper - limits.workspace->lower;
    Vec3<double> weight = Vec3<double>::Zero();
    for (int k = 0; k < 3; ++k) {
      value += penalty * hinge((p[k] - limits.workspace->upper[k]) / size[k] + margin, d);
      weight[k] += penalty * d / size[k];
      value += penalty * hinge((limits.workspace->lower[k] - p[k]) / size[k] + margin, d);
      weight[k] -= penalty * d / size[k];
    }
    slope.q.col(s) += tool_jacobian<double>(task_.arm, poses).topRows<3>().transpose() * weight;
  }
  if (limits.clearance) {
    constexpr double size = 0.1;  // [m] that weighs like a limit broken by its own size
    const double wanted = limits.least_clearance + margin * size;
    const LinkPoses<double> poses = forward_kinematics<double>(task_.arm, q);
    for_each_near(*limits.clearance, poses, wanted, [&](const Clearance& c) {
      value += penalty * hinge((wanted - c.distance) / size, d);
      slope.q.col(s) -= penalty * d / size * clearance_slope(task_.arm, *limits.clearance, poses, c);
    });
  }
  return value;
}

double ExcitationObjective::operator()(const FourierCoefficients& c, FourierCoefficients& gradient) const {
  const int n = task_.arm.dof(), samples = basis_.samples();
  MotionSamples m, slope;
  basis_.motion(c, m);
  Eigen::MatrixXd gram;
  const Eigen::MatrixXd phi = stacked(m, gram);
  if (stop && *stop) return std::nan("");
  const SmoothCriterion criterion = smooth_criterion(task_.criterion, gram, sharpness);
  slope.q = slope.v = slope.a = Eigen::MatrixXd::Zero(n, samples);
  std::array<double, chunks> part{};
  const Eigen::MatrixXd back = 2.0 / samples * criterion.gradient * columns_.transpose();
  in_parallel([&](int chunk, int begin, int end) {
    Eigen::MatrixXd weights;
    for (int s = begin; s < end; ++s) {
      weights.noalias() = phi.middleRows(static_cast<Eigen::Index>(n) * s, n) * back;
      weights = task_.torque_scale.cwiseInverse().asDiagonal() * weights;
      add_regressor_slope(weights, s, m, slope);
      part[chunk] += add_penalties(s, m, slope);
    }
  });
  gradient = {c.base_frequency, Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Zero(c.harmonics(), n),
              Eigen::MatrixXd::Zero(c.harmonics(), n)};
  basis_.pull_back(slope, gradient);
  double value = criterion.value;
  for (const double p : part) value += p;
  return value;
}

Eigen::VectorXd ExcitationObjective::singular_values(const FourierCoefficients& c) const {
  MotionSamples m;
  basis_.motion(c, m);
  Eigen::MatrixXd gram;
  // not from the eigenvalues of ΦᵀΦ, which would lose half the digits
  return armature::numerics::singular_values(stacked(m, gram)) / std::sqrt(static_cast<double>(basis_.samples()));
}

}  // namespace armature::identification
