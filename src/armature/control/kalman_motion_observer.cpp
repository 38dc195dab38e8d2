#include "armature/control/kalman_motion_observer.hpp"

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "armature/core/error.hpp"

namespace armature::control {

//  P is the prediction's covariance:  P = E (P - P cᵀ (c P cᵀ + R)⁻¹ c P) Eᵀ + gamma Q gammaᵀ,   k = P cᵀ / (c P cᵀ + R)    (1)
//  Doubling: with A = Eᵀ, G = cᵀ R⁻¹ c, H = gamma Q gammaᵀ and W = (1 + G H)⁻¹
//     A <- A W A,   G <- G + A W G Aᵀ,   H <- H + Aᵀ H W A                                                                (2)
//  H tends to P, quadratically. Time is counted in ticks and length in resolutions, so that the numbers are of one size.
KalmanMotionFilter kalman_motion_filter(double tick, double resolution, double jerk) {
  for (const double x : {tick, resolution, jerk})
    if (!(x > 0) || !std::isfinite(x))
      throw Error("a Kalman observer needs tick, resolution and jerk", "give three positive numbers");
  KalmanMotionFilter f;
  const double T = tick;
  f.E << 1, T, T * T / 2, 0, 1, T, 0, 0, 1;
  f.gamma << T * T * T / 6, T * T / 2, T;
  f.measurement_variance = resolution * resolution / 12;
  f.process_variance = jerk * jerk;

  Mat3<double> A, G = Mat3<double>::Zero(), H;
  A << 1, 0, 0, 1, 1, 0, 0.5, 1, 1;
  const Vec3<double> gamma(1.0 / 6, 0.5, 1);
  const double scaled = jerk * T * T * T / resolution;
  G(0, 0) = 12;
  H = gamma * gamma.transpose() * (scaled * scaled);
  for (int k = 0; k < 60; ++k) {
    const Mat3<double> W = (Mat3<double>::Identity() + G * H).inverse();
    const Mat3<double> A_next = A * W * A, step = A.transpose() * H * W * A;
    G = G + A * W * G * A.transpose();
    H = H + (step + step.transpose()) / 2;
    A = A_next;
    if (step.cwiseAbs().maxCoeff() <= 1e-16 * H.cwiseAbs().maxCoeff()) break;
  }
  Mat3<double> E;
  E << 1, 1, 0.5, 0, 1, 1, 0, 0, 1;
  for (int k = 0; k < 100; ++k) {  // polished by (1) itself, in Joseph's form
    Mat3<double> update = Mat3<double>::Identity();
    const Vec3<double> gain = H.col(0) / (H(0, 0) + 1.0 / 12);
    update.col(0) -= gain;
    const Mat3<double> corrected = update * H * update.transpose() + gain * gain.transpose() / 12;
    H = E * corrected * E.transpose() + gamma * gamma.transpose() * (scaled * scaled);
  }
  const Vec3<double> unit(resolution, resolution / T, resolution / (T * T));
  f.P = unit.asDiagonal() * H * unit.asDiagonal();
  f.k = f.P.col(0) / (f.P(0, 0) + f.measurement_variance);
  return f;
}

//     x_bar = (1 - k c) x_hat + k y,   x_hat(k+1) = E x_bar:   x_bar(z) = (z - (1 - k c) E)⁻¹ z k y(z)
std::complex<double> KalmanMotionFilter::response(double frequency, int state, double tick) const {
  const std::complex<double> z = std::polar(1.0, 2 * std::numbers::pi * frequency * tick);
  Mat3<double> update = Mat3<double>::Identity();
  update.col(0) -= k;
  const Eigen::Matrix3cd A = z * Eigen::Matrix3cd::Identity() - (update * E).cast<std::complex<double>>();
  const Eigen::Vector3cd x = A.inverse() * (z * k.cast<std::complex<double>>());
  return x[state];
}

KalmanMotionObserver::KalmanMotionObserver(const KalmanMotionSettings& s) {
  if (s.resolution.size() == 0 || s.resolution.size() != s.jerk.size())
    throw Error("a Kalman observer needs one resolution and one jerk a joint", "give vectors of the same size");
  for (Eigen::Index i = 0; i < s.resolution.size(); ++i)
    filters_.push_back(kalman_motion_filter(s.tick, s.resolution[i], s.jerk[i]));
  predicted_.assign(filters_.size(), Vec3<double>::Zero());
  motion_.q = motion_.qd = motion_.qdd = VecX<double>::Zero(s.resolution.size());
}

void KalmanMotionObserver::reset(const VecX<double>& measured, const Reference& r) {
  for (Eigen::Index i = 0; i < motion_.q.size(); ++i) predicted_[i] = {measured[i] - r.q[i], 0, 0};
  motion_ = {measured, r.qd, r.qdd};
}

const Motion& KalmanMotionObserver::update(const VecX<double>& measured, const Reference& r) noexcept {
  for (Eigen::Index i = 0; i < motion_.q.size(); ++i) {
    const double innovation = measured[i] - r.q[i] - predicted_[i][0];
    Vec3<double> x = predicted_[i];
    if (std::isfinite(innovation)) x += filters_[i].k * innovation;  // (20)
    motion_.q[i] = r.q[i] + x[0];                                    // (21)
    motion_.qd[i] = r.qd[i] + x[1];
    motion_.qdd[i] = r.qdd[i] + x[2];
    predicted_[i] = filters_[i].E * x;  // (20)
  }
  return motion_;
}

Observed::Observed(KalmanMotionObserver observer, AnyController law)
    : LawAround(std::move(law), {.joint_reference = true}), observer_(std::move(observer)) {
  const VecX<double> zero = VecX<double>::Zero(observer_.motion().q.size());
  parts_.push_back({"observed_q", "rad | m", zero});
  parts_.push_back({"observed_qd", "rad/s | m/s", zero});
  parts_.push_back({"observed_qdd", "rad/s^2 | m/s^2", zero});
}

void Observed::reset(const Measurement& y) {
  fresh_ = true;
  law_.reset(y);
}

void Observed::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  if (fresh_) observer_.reset(y.q, r);
  fresh_ = false;
  seen_ = y;
  if (dt > 0) {
    const Motion& m = observer_.update(y.q, r);
    seen_.q = m.q;
    seen_.qd = m.qd;
  }
  law_.update(seen_, r, dt, tau);
  status_ = law_.status();
  show_law(tau);
  part(own_) = observer_.motion().q;
  part(own_ + 1) = observer_.motion().qd;
  part(own_ + 2) = observer_.motion().qdd;
}

void ObserverSettings::fields(Fields& f) {
  f.word("kind", kind, {"none", "kalman"}, "the measured motion, or the Kalman observer's");
  const bool must = kind == Kind::kalman;
  f.joints("resolution", resolution, joint_dimension::position, "resolution of the encoders", Range::positive, must);
  f.joints("jerk", jerk, joint_dimension::jerk, "largest jerk of the reference", Range::positive, must);
}

}  // namespace armature::control
