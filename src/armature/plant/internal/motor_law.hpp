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

inline const std::optional<double>& command_limit(const Motor& m) {
  return m.command == Motor::Command::torque    ? m.torque_limit
         : m.command == Motor::Command::current ? m.current_limit
                                                : m.voltage_limit;
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

/// What a linear drive makes of its command, at its motor's angle.
template <Scalar S>
S linear_torque(const Motor& m, const S& u, const S& speed, const S* z) {
  const LinearDrive& d = *m.linear;
  S torque = S(d.D(0, 0)) * clamped(u, command_limit(m)) + S(d.D(0, 1)) * speed;
  for (Eigen::Index k = 0; k < d.C.cols(); ++k) torque += S(d.C(0, k)) * z[k];
  return torque;
}

/// True where such a motor saturates at a speed of its own, between two commands.
inline bool saturates_with_speed(const Motor& m) {
  if (m.linear) return false;
  if (m.command == Motor::Command::current) return m.voltage_limit && m.resistance > 0;
  return m.command == Motor::Command::voltage && m.current_limit;
}

/// A linear drive with its states and their rates. What it stores and loses itself is not counted: it supplies what it gives to its
/// axes.
template <Scalar S>
void act_linear(const Motor& m, const S& u, const S* v, const S* z, S* rate, Forces<S>& out) {
  const LinearDrive& d = *m.linear;
  const S speed = motor_speed(m, v), command = clamped(u, command_limit(m)), torque = linear_torque(m, u, speed, z);
  for (Eigen::Index i = 0; i < d.A.rows(); ++i) {
    rate[i] = S(d.B(i, 0)) * command + S(d.B(i, 1)) * speed;
    for (Eigen::Index k = 0; k < d.A.cols(); ++k) rate[i] += S(d.A(i, k)) * z[k];
  }
  out.supplied += torque * speed;
  for (const auto& [axis, factor] : m.drives) out.drive[axis] += S(factor) * torque;
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
