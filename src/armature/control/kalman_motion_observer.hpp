// Position, speed and acceleration of every joint from its encoder and the reference [Kostic2004, (16)-(21)].
#pragma once

#include <complex>

#include "armature/control/controller.hpp"
#include "armature/core/fields.hpp"

namespace armature::control {

struct KalmanMotionSettings {
  double tick = 1e-3;       // T_s [s]
  VecX<double> resolution;  // of the encoders: measurement variance resolution²/12 [rad | m]
  VecX<double> jerk;        // largest of the reference: process variance jerk² [rad/s³ | m/s³]
};

/// What a law sees in place of the measured motion.
struct ObserverSettings : KalmanMotionSettings {
  enum class Kind { none, kalman };
  Kind kind = Kind::none;

  void fields(Fields& f);
};

/// The third-order, all-integrator model of one joint's deviation e = q - q_r, driven by white jerk:
///     x = (e, ed, nu),   x(k+1) = E x(k) + gamma xi(k),   y(k) = e(k) + eta(k)      [Kostic2004, (18), (19)]
/// and its stationary Kalman gain.
struct KalmanMotionFilter {
  Mat3<double> E;      // (19b)
  Vec3<double> gamma;  // (19b)
  Mat3<double> P;      // covariance of the prediction, the stationary solution of the Riccati equation
  Vec3<double> k;      // gain of (20)
  double measurement_variance = 0, process_variance = 0;

  /// From measured e to the k-th of the reconstructed (e, ed, nu), at a frequency [Hz]: figure 7.
  [[nodiscard]] std::complex<double> response(double frequency, int state, double tick) const;
};
/// The Riccati equation is solved by doubling [Anderson1978]. Throws Error unless all three are positive numbers.
KalmanMotionFilter kalman_motion_filter(double tick, double resolution, double jerk);

/// What a joint does, as far as is known.
struct Motion {
  VecX<double> q, qd, qdd;  // (21)
};

class KalmanMotionObserver {
 public:
  explicit KalmanMotionObserver(const KalmanMotionSettings& settings);
  /// Starts where the encoder and the reference are.
  void reset(const VecX<double>& measured, const Reference& r);
  /// One sample: (20), then (21). Allocates nothing.
  const Motion& update(const VecX<double>& measured, const Reference& r) noexcept;
  [[nodiscard]] const Motion& motion() const { return motion_; }
  [[nodiscard]] const KalmanMotionFilter& filter(int joint) const { return filters_[joint]; }

 private:
  std::vector<KalmanMotionFilter> filters_;
  std::vector<Vec3<double>> predicted_;
  Motion motion_;
};

/// A law that sees the reconstructed motion in place of the measured one. Reports q, qd and qdd as signals.
class Observed : public LawAround {
 public:
  Observed(KalmanMotionObserver observer, AnyController law);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  [[nodiscard]] const Motion& motion() const { return observer_.motion(); }

 private:
  KalmanMotionObserver observer_;
  Measurement seen_;
  bool fresh_ = true;
};
static_assert(Controller<Observed>);

}  // namespace armature::control
