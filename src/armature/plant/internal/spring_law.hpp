// What a shaft, a gear or an end stop carries.
#pragma once

#include "armature/plant/internal/forces.hpp"
#include "armature/plant/spring.hpp"

namespace armature::plant {

/// Past the play on the side of `mode`, or the whole twist of a spring without play.
template <Scalar S>
S compression(const Spring& spring, const S& twist, int mode) {
  return twist - S(mode * spring.backlash);
}

/// stiffness x + hardening x³
template <Scalar S>
S elastic_torque(const Spring& spring, const S& x) {
  return x * (S(spring.stiffness) + S(spring.hardening) * x * x);
}

inline double elastic_energy(const Spring& spring, double x) {
  return x * x * (spring.stiffness / 2 + spring.hardening * x * x / 4);
}

/// What stands on the load's side of a spring, of positions or of speeds.
template <Scalar S>
S load_side(const Spring& spring, const S* y) {
  S sum = spring.driven == ground ? S(0) : y[spring.driven];
  for (const auto& [axis, factor] : spring.coupled) sum += S(factor) * y[axis];
  return sum;
}

template <Scalar S>
S twist(const Spring& spring, const S* y) {
  S twist(0);
  if (spring.driver != ground) {
    const S& driver = y[spring.driver];
    twist += driver * S(1 / spring.ratio);
    if (spring.error_amplitude != 0)
      twist += S(spring.error_amplitude) * sin(S(spring.error_order) * driver + S(spring.error_phase));
  }
  return twist - load_side(spring, y) - S(spring.rest);
}

/// d(twist)/d(driver): how the torque on the driven side acts back.
template <Scalar S>
S lever(const Spring& spring, const S* y) {
  S w(1 / spring.ratio);
  if (spring.error_amplitude != 0)
    w += S(spring.error_amplitude * spring.error_order) *
         cos(S(spring.error_order) * y[spring.driver] + S(spring.error_phase));
  return w;
}

template <Scalar S>
S twist_rate(const Spring& spring, const S* y, const S* v) {
  S rate(0);
  if (spring.driver != ground) rate += lever(spring, y) * v[spring.driver];
  return rate - load_side(spring, v);
}

/// `side` of the play that it touches, zero within; `dahl` is the torque of its hysteresis and `rate` the derivative, null without.
template <Scalar S>
void act(const Spring& s, const S* y, const S* v, int side, const S* dahl, S* rate, Forces<S>& out) {
  const S turning = twist_rate<S>(s, y, v);
  S torque(0);
  if (s.backlash == 0 || side != 0) {
    torque = elastic_torque(s, compression(s, twist<S>(s, y), side)) + S(s.damping) * turning;
    out.dissipated += S(s.damping) * turning * turning;
  }
  if (dahl) {
    const S slip = magnitude(turning) * *dahl * S(1 / s.hysteresis_torque);
    *rate = S(s.hysteresis_stiffness) * (turning - slip);
    torque += *dahl;
    out.dissipated += *dahl * slip;
  }
  if (s.driven != ground) out.drive[s.driven] += torque;
  for (const auto& [axis, factor] : s.coupled) out.drive[axis] += S(factor) * torque;
  if (s.driver != ground) out.drive[s.driver] -= torque * lever(s, y);
}

}  // namespace armature::plant
