// What a motor gives for its command.
#pragma once

#include "armature/algorithms/friction.hpp"
#include "armature/plant/internal/forces.hpp"
#include "armature/plant/motor.hpp"

namespace armature::plant {

template <Scalar S>
S motor_speed(const Motor& m, const S* v) {
  S speed(0);
  for (const auto& [axis, factor] : m.drives) speed += S(factor) * v[axis];
  return speed;
}

/// The current of a motor whose inductance does not count: what its command asks for, and between which bounds it stays.
/// A voltage V drives (V - K_E w)/R through the winding; an amplifier that is asked for a current gives up to its voltage.
template <Scalar S>
struct MotorCurrent {
  MotorCurrent(const Motor& m, const S& u, const S& speed) {
    const S emf = S(m.back_emf) * speed;
    if (m.command == Motor::Command::current) {
      wanted = clamped(u, m.current_limit);
      if (m.voltage_limit && m.resistance > 0) {
        low = (S(-*m.voltage_limit) - emf) * S(1 / m.resistance);
        high = (S(*m.voltage_limit) - emf) * S(1 / m.resistance);
      }
    } else {
      wanted = (clamped(u, m.voltage_limit) - emf) * S(1 / m.resistance);
      if (m.current_limit) {
        low = S(-*m.current_limit);
        high = S(*m.current_limit);
      }
    }
  }
  [[nodiscard]] S value() const { return below(wanted, low) ? low : below(high, wanted) ? high : wanted; }
  S wanted, low = S(-INFINITY), high = S(INFINITY);
};

/// True where such a motor saturates at a speed of its own, between two commands.
inline bool saturates_with_speed(const Motor& m) {
  if (m.command == Motor::Command::current) return m.voltage_limit && m.resistance > 0;
  return m.command == Motor::Command::voltage && m.current_limit;
}

/// `current` is the state of a winding with inductance and `rate` its derivative; null: the current follows at once. `held`: the
/// amplifier holds the current at its limit.
template <Scalar S>
void act(const Motor& m, const S& u, const S* v, bool held, const S* current, S* rate, Forces<S>& out) {
  const S speed = motor_speed(m, v);
  S torque;
  if (m.command == Motor::Command::torque) {
    torque = clamped(u, m.torque_limit);
    out.supplied += torque * speed;
  } else {
    S through, voltage;
    if (current) {
      through = *current;
      voltage = clamped(u, m.voltage_limit);
      const S balanced = S(m.resistance) * through + S(m.back_emf) * speed;
      if (held) voltage = balanced;
      *rate = (voltage - balanced) * S(1 / m.inductance);
    } else {
      through = MotorCurrent<S>(m, u, speed).value();
      voltage = S(m.resistance) * through + S(m.back_emf) * speed;
    }
    torque = S(m.torque_constant) * through;
    out.supplied += voltage * through;
    out.dissipated += S(m.resistance) * through * through + S(m.back_emf - m.torque_constant) * through * speed;
  }
  for (const auto& [axis, factor] : m.drives) out.drive[axis] += S(factor) * torque;
}

/// The rubbing of its shaft.
template <Scalar S>
void rub(const Motor& m, const S* v, Forces<S>& out) {
  if (m.friction.coulomb == 0 && m.friction.viscous == 0) return;
  const S speed = motor_speed(m, v);
  const S torque = algorithms::smooth_friction<S>(m.friction, speed, S(0), m.smoothing);
  for (const auto& [axis, factor] : m.drives) out.friction[axis] += S(factor) * torque;
  out.dissipated += torque * speed;
}

}  // namespace armature::plant
