#include "armature/control/external_torque.hpp"

#include <cmath>

#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/internal/finite_state.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/core/error.hpp"

namespace armature::control {

ExternalTorqueObserver::ExternalTorqueObserver(Arm believed, const ExternalTorqueSettings& s)
    : believed_(std::move(believed)), settings_(s) {
  number_at_least("gain", s.gain, 0);
  q_ = qd_ = momentum_ = estimate_ = VecX<double>::Zero(believed_.dof());
}

void ExternalTorqueObserver::start_from(const Measurement& y) noexcept {
  q_ = y.q;
  qd_ = y.qd;
  momentum_ = mass_matrix<double>(believed_, y.q) * y.qd;
  missed_ = false;
}

void ExternalTorqueObserver::reset(const Measurement& y) {
  start_from(y);
  estimate_.setZero();
}

const VecX<double>& ExternalTorqueObserver::update(const Measurement& y, const Reference& r, const VecX<double>& tau,
                                                   double dt) noexcept {
  if (!(dt > 0)) return estimate_;
  if (!y.q.allFinite() || !y.qd.allFinite()) {
    missed_ = true;
    return estimate_;
  }
  if (missed_) {  // the last reading was no number: momentum and speed differ from an older one
    start_from(y);
    return estimate_;
  }
  const VecX<double> q = (q_ + y.q) / 2, qd = (qd_ + y.qd) / 2;
  VecX<double> now, speed = qd;
  if (settings_.method == ExternalTorqueMethod::desired) {
    inverse_dynamics(believed_, r.q, r.qd, r.qdd, now);
    speed = r.qd;
  } else if (settings_.method == ExternalTorqueMethod::measured) {
    const VecX<double> qdd = (y.qd - qd_) / dt;
    inverse_dynamics(believed_, q, qd, qdd, now);
  } else {
    const VecX<double> momentum = mass_matrix<double>(believed_, y.q) * y.qd;
    MatX<double> C;
    coriolis_matrix(believed_, q, qd, C);
    now = (momentum - momentum_) / dt - C.transpose() * qd + gravity_torque<double>(believed_, q);
    momentum_ = momentum;
  }
  if (settings_.friction) now += smooth_friction<double>(believed_, speed, now);
  q_ = y.q;
  qd_ = y.qd;
  advance(estimate_, VecX<double>(estimate_ - std::expm1(-settings_.gain * dt) * (now - tau - estimate_)));
  return estimate_;
}

VecX<double> external_torque_noise(const Arm& arm, const VecX<double>& q, const VecX<double>& speed_noise, double gain,
                                   double dt) {
  const double b = -std::expm1(-gain * dt);
  const MatX<double> M = mass_matrix<double>(arm, q);
  VecX<double> sigma(arm.dof());
  for (int i = 0; i < arm.dof(); ++i)
    sigma[i] = b / dt * std::sqrt(2 / (2 - b)) * M.row(i).transpose().cwiseProduct(speed_noise).norm();
  return sigma;
}

double threshold_factor(double probability, double samples) {
  if (!(probability > 0) || !(probability < 1) || !(samples >= 1))
    throw Error("a threshold needs a probability and a number of samples", "between 0 and 1, and at least 1");
  const double tail = probability / samples;  // both sides; union bound
  double low = 0, high = 40;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
  }
  return high;
}

void ExternalTorqueSettings::fields(Fields& f) {
  f.word("method", method, {"none", "momentum", "measured", "desired"},
         "how the torque from outside is found: by the momentum, from the measured or from the wanted motion");
  f.number("gain", gain, dimension::rate, "gain of the estimate: its time constant is 1/gain", Range::positive);
  f.flag("friction", friction, "the believed friction is part of the model");
}

}  // namespace armature::control
