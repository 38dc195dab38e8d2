#include "armature/identification/motion_observer.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

/// Third differences over m steps have the variance 20 noise² + jerk² (m h)⁶: at m = 1 noise counts, at large m the motion.
void estimate_noise(const Eigen::VectorXd& q, double step, double& noise, double& jerk) {
  const auto variance = [&](Eigen::Index m) {
    const Eigen::Index n = q.size() - 3 * m;
    return (q.tail(n) - 3 * q.segment(2 * m, n) + 3 * q.segment(m, n) - q.head(n)).squaredNorm() /
           static_cast<double>(n);
  };
  if (q.size() < 64)
    throw Error("too few samples to estimate the noise of the readings", "give the observer's noise and jerk");
  const double c0 = variance(1);
  if (noise <= 0) noise = std::sqrt(std::max(c0 / 20, 1e-30));
  if (jerk > 0) return;
  Eigen::Index m = 1;
  while (variance(m) < 100 * 20 * noise * noise && 12 * m < q.size()) m = m * 5 / 4 + 1;
  // The jerk of a step is taken as white from step to step, three times as large as it is on average [Kostic2004, (20)].
  jerk = 3 * std::sqrt(variance(m)) / std::pow(static_cast<double>(m) * step, 3) * std::sqrt(step);
  jerk = std::max(jerk, 1e-9);
}

}  // namespace

double reading_noise(double resolution, double noise) {
  return std::sqrt(resolution * resolution / 12 + noise * noise);
}

//     x+ = A x + w,  w ~ (0, Q),  Q the integral of the jerk over a step [Kostic2004, (18)];  y = x_1 + v
MotionObserver motion_observer(double noise, double jerk, double step) {
  if (!(noise > 0) || !(jerk > 0) || !(step > 0))
    throw Error(fmt::format("an observer with noise {:.3g} and jerk {:.3g}", noise, jerk), "both are positive");
  const double h = step, h2 = h * h, h3 = h2 * h, h4 = h3 * h, h5 = h4 * h;
  MotionObserver o;
  o.A << 1, h, h2 / 2, 0, 1, h, 0, 0, 1;
  Eigen::Matrix3d Q;
  Q << h5 / 20, h4 / 8, h3 / 6, h4 / 8, h3 / 3, h2 / 2, h3 / 6, h2 / 2, h;
  Q *= jerk * jerk;
  // Scaled so that positions count in units of the noise: the iteration to the steady state is then well conditioned.
  Eigen::Matrix3d P = Eigen::Vector3d(noise * noise, noise * noise / h2, noise * noise / h4).asDiagonal();
  for (int i = 0; i < 100000; ++i) {
    const Eigen::Matrix3d predicted = o.A * P * o.A.transpose() + Q;
    o.gain = predicted.col(0) / (predicted(0, 0) + noise * noise);
    Eigen::Matrix3d next = predicted - o.gain * predicted.row(0);
    next = (0.5 * (next + next.transpose())).eval();
    const double change = ((next - P).cwiseAbs().array() /
                           (next.diagonal().cwiseSqrt() * next.diagonal().cwiseSqrt().transpose()).array())
                              .maxCoeff();
    P = next;
    o.P_predicted = predicted;
    if (change < 1e-14) break;
  }
  o.P = P;
  return o;
}

void observe_motion(const MotionBlock& block, const Processing& p, FilteredMotion& m) {
  const Eigen::Index N = block.samples(), n = block.q.cols();
  m.q.resize(N, n);
  m.qd.resize(N, n);
  m.qdd.resize(N, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    double noise = p.observer_noise, jerk = p.observer_jerk;
    if (noise <= 0 || jerk <= 0) estimate_noise(block.q.col(j), block.step, noise, jerk);
    const MotionObserver o = motion_observer(noise, jerk, block.step);
    Eigen::Matrix<double, 3, Eigen::Dynamic> x(3, N);
    x.col(0) << block.q(0, j), (block.q(std::min<Eigen::Index>(2, N - 1), j) - block.q(0, j)) / (2 * block.step), 0;
    for (Eigen::Index k = 1; k < N; ++k) {
      const Eigen::Vector3d predicted = o.A * x.col(k - 1);
      x.col(k) = predicted + o.gain * (block.q(k, j) - predicted[0]);
    }
    const Eigen::Matrix3d G = o.P * o.A.transpose() * o.P_predicted.inverse();
    for (Eigen::Index k = N - 2; k >= 0; --k) x.col(k) += G * (x.col(k + 1) - o.A * x.col(k)).eval();
    m.q.col(j) = x.row(0).transpose();
    m.qd.col(j) = x.row(1).transpose();
    m.qdd.col(j) = x.row(2).transpose();
  }
}

void choose_observer(const RowMatrix& positions, double step, Processing& p) {
  double chosen_noise = 0, chosen_jerk = 0;
  for (Eigen::Index j = 0; j < positions.cols(); ++j) {
    double noise = p.observer_noise, jerk = p.observer_jerk;
    estimate_noise(positions.col(j), step, noise, jerk);
    if (chosen_jerk == 0 || jerk / noise > chosen_jerk / chosen_noise) {
      chosen_noise = noise;
      chosen_jerk = jerk;
    }
  }
  p.observer_noise = chosen_noise;
  p.observer_jerk = chosen_jerk;
}

std::size_t observer_memory(const Processing& p, double step) {
  if (p.observer_noise <= 0 || p.observer_jerk <= 0)
    throw Error("a log that is worked off in blocks needs the observer's noise and jerk",
                "give both; they can be estimated from a part of the log");
  const MotionObserver o = motion_observer(p.observer_noise, p.observer_jerk, step);
  const Eigen::Matrix3d correction = Eigen::Matrix3d::Identity() - o.gain * Eigen::RowVector3d(1, 0, 0);
  const Eigen::Matrix3d F = correction * o.A;
  const double radius = eigenvalues(F).cwiseAbs().maxCoeff();
  return static_cast<std::size_t>(std::ceil(std::log(1e-15) / std::log(radius)));
}

}  // namespace armature::identification
