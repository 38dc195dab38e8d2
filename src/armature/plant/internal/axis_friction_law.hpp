// How an axis rubs.
#pragma once

#include <variant>

#include "armature/algorithms/friction.hpp"
#include "armature/plant/axis_friction.hpp"
#include "armature/plant/internal/forces.hpp"

namespace armature::plant {

/// The load of a law that depends on it is what the law leaves of the drive's torque: r + m |r| = k with k = drive - unloaded, the law without
/// load, and m = load_coefficient sign, so that r = (k - m |k|)/(1 - m²).
template <Scalar S>
S load_behind(const Friction& law, const S& sign, const S& drive, const S& unloaded) {
  const auto* f = std::get_if<LoadDependent>(&law);
  if (!f) return drive;
  const S k = drive - unloaded, m = S(f->load_coefficient) * sign;
  return (k - m * magnitude(k)) / (S(1) - m * m);
}

/// The law of an axis, and gear_loss |load| against the motion: with a smoothed sign, sliding in a direction, and just before
/// breaking away in a direction.
template <Scalar S>
S smooth_gear_loss(const AxisFriction& f, const S& v, const S& load) {
  return f.gear_loss > 0 ? S(S(f.gear_loss) * magnitude(load) * tanh(v * S(1 / f.smoothing))) : S(0);
}
template <Scalar S>
S smooth_friction(const AxisFriction& f, const S& v, const S& drive) {
  S load = drive;
  if (std::holds_alternative<LoadDependent>(f.law))
    load = load_behind<S>(f.law, tanh(v * S(1 / f.smoothing)), drive,
                          algorithms::smooth_friction<S>(f.law, v, S(0), f.smoothing));
  return algorithms::smooth_friction<S>(f.law, v, load, f.smoothing) + smooth_gear_loss(f, v, drive);
}
template <Scalar S>
S sliding_friction(const AxisFriction& f, const S& v, int direction, const S& drive) {
  S load = drive;
  if (std::holds_alternative<LoadDependent>(f.law))
    load = load_behind<S>(f.law, S(direction), drive, algorithms::sliding_friction<S>(f.law, v, direction, S(0)));
  return algorithms::sliding_friction<S>(f.law, v, direction, load) + S(direction * f.gear_loss) * magnitude(drive);
}
inline double breakaway_friction(const AxisFriction& f, int direction, double drive) {
  double load = drive;
  if (std::holds_alternative<LoadDependent>(f.law))
    load =
        load_behind<double>(f.law, direction, drive, algorithms::sliding_friction<double>(f.law, 0.0, direction, 0.0));
  return algorithms::breakaway_friction(f.law, direction, load) + f.gear_loss * magnitude(drive);
}

/// sigma0 z + sigma1 zd + sigma2 v with the rate of the bristle z; what is not stored in the bristle is lost.
template <Scalar S>
struct BristleTorque {
  S torque, rate, lost;
};
template <Scalar S>
BristleTorque<S> lugre(const LuGre& f, const S& z, const S& v) {
  const S ratio = v * S(1 / f.stribeck_velocity);
  const S limit = S(f.coulomb) + S(f.stiction - f.coulomb) * exp(-(ratio * ratio));
  const S rate = v - S(f.sigma0) * magnitude(v) / limit * z;
  const S torque = S(f.sigma0) * z + S(f.sigma1) * rate + S(f.sigma2) * v;
  return {torque, rate, torque * v - S(f.sigma0) * z * rate};
}

/// `direction` of sliding, zero where the axis sticks; `bristle` and its rate are the state of a LuGre law. Drives are the torques
/// of motors and springs, which act before.
template <Scalar S>
void act(const AxisFriction& f, const S& speed, int direction, const S* bristle, S* rate, Forces<S>& out) {
  const S& drive = out.drive[f.axis];
  S& friction = out.friction[f.axis];
  if (bristle) {
    const BristleTorque<S> b = lugre<S>(std::get<LuGre>(f.law), *bristle, speed);
    const S lost = smooth_gear_loss(f, speed, drive);
    friction = b.torque + lost;
    *rate = b.rate;
    out.dissipated += b.lost + lost * speed;
    return;
  }
  if (!f.exact)
    friction = smooth_friction<S>(f, speed, drive);
  else if (direction != 0)
    friction = sliding_friction<S>(f, speed, direction, drive);
  out.dissipated += friction * speed;
}

}  // namespace armature::plant
