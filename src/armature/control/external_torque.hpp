// Joint torques that come from outside, estimated from motion and command.
#pragma once

#include "armature/control/controller.hpp"
#include "armature/core/fields.hpp"
#include "armature/model/arm.hpp"

namespace armature::control {

enum class ExternalTorqueMethod {
  none,      ///< nothing is estimated
  momentum,  ///< momentum observer [DeLuca2005]: no acceleration, no inverse of M
  measured,  ///< M qdd + C qd + g + f - tau of the measured motion, qdd by differences [Tum2019, (18a)]
  desired    ///< the same of the wanted motion [Tum2019, (18b)]: needs no measurement, calls a tracking error a force
};

struct ExternalTorqueSettings {
  ExternalTorqueMethod method = ExternalTorqueMethod::momentum;
  double gain = 50;  // K_I: the estimate follows with the time constant 1/K_I [1/s]
  bool friction =
      true;  // the believed friction is part of the model; without it, friction shows as a torque from outside

  void fields(Fields& f);
};

/// tau_ext with  M qdd + C qd + g + friction = tau + tau_ext, low-pass filtered:  r = K_I ∫ (tau_ext - r).
///
/// Momentum p = M qd:  pd = tau + tau_ext + Cᵀ qd - g - friction, so that over a tick from k-1 to k
///     tau_ext = (p_k - p_{k-1})/dt - (tau + Cᵀ qd - g - friction),   r_k = r_{k-1} + (1 - exp(-K_I dt)) (tau_ext - r_{k-1}),
/// which is stable for every gain. The model is evaluated in the middle of the tick. Noise: external_torque_noise().
class ExternalTorqueObserver {
 public:
  ExternalTorqueObserver(Arm believed, const ExternalTorqueSettings& settings);
  void reset(const Measurement& y);
  /// `tau` is what the drives exerted since the last sample. Allocates nothing.
  const VecX<double>& update(const Measurement& y, const Reference& r, const VecX<double>& tau, double dt) noexcept;
  [[nodiscard]] const VecX<double>& estimate() const { return estimate_; }

 private:
  void start_from(const Measurement& y) noexcept;

  Arm believed_;
  ExternalTorqueSettings settings_;
  VecX<double> q_, qd_, momentum_, estimate_;
  bool missed_ = false;  // the last reading was not finite
};

/// Standard deviation of the momentum observer's (and the measured motion's) estimate at rest at q, when the speeds carry white
/// noise of the standard deviation `speed_noise` [rad/s | m/s]: a first-order high-pass of M qd, so
///     sigma_i = b/dt √(2/(2 - b)) √(sum_j (M_ij noise_j)²),   b = 1 - exp(-gain dt).
VecX<double> external_torque_noise(const Arm& arm, const VecX<double>& q, const VecX<double>& speed_noise, double gain,
                                   double dt);

/// How many standard deviations a threshold needs so that normal noise crosses it with at most this probability in any of
/// `samples` independent samples: the quantile of (1 - p/samples)/2.
double threshold_factor(double probability, double samples);

}  // namespace armature::control
