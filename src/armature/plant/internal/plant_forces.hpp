// Torques on the axes and the rates of the inner states, in one mode.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/algorithms/friction.hpp"
#include "armature/plant/plant.hpp"
#include "armature/scalar/dual.hpp"

namespace armature::plant {

template <Scalar S>
struct Plant::Forces {
  Forces(int axes, int inner_states) {  // only what is there: a machine has few of the axes it might have
    std::fill_n(drive.begin(), axes, S(0));
    std::fill_n(friction.begin(), axes, S(0));
    std::fill_n(rate.begin(), inner_states, S(0));
  }
  std::array<S, max_axes> drive;           // of motors and springs [N m]
  std::array<S, max_axes> friction;        // to be subtracted; zero at stuck axes
  std::array<S, max_axes> rate;            // d/dt of the inner states, from 2 axes on
  Vec6<S> tool = Vec6<S>::Constant(S(0));  // wrench on the tool in world axes
  S supplied = S(0), dissipated = S(0);    // [W]
};

inline double magnitude(double x) { return std::abs(x); }
inline Dual magnitude(const Dual& x) { return x.value < 0 ? -x : x; }

inline bool below(double a, double b) { return a < b; }
inline bool below(const Dual& a, const Dual& b) { return a.value < b.value; }

inline double clamped(double x, const std::optional<double>& limit) {
  return limit ? std::min(std::max(x, -*limit), *limit) : x;
}
inline Dual clamped(const Dual& x, const std::optional<double>& limit) {
  return limit && std::abs(x.value) > *limit ? Dual(x.value > 0 ? *limit : -*limit) : x;
}

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

/// The law of an axis, and gear_loss |load| against the motion: with a smoothed sign, sliding in a direction, and just before
/// breaking away in a direction.
template <Scalar S>
S smooth_gear_loss(const AxisFriction& f, const S& v, const S& load) {
  return f.gear_loss > 0 ? S(S(f.gear_loss) * magnitude(load) * tanh(v * S(1 / f.smoothing))) : S(0);
}
template <Scalar S>
S smooth_friction(const AxisFriction& f, const S& v, const S& load) {
  return algorithms::smooth_friction<S>(f.law, v, load, f.smoothing) + smooth_gear_loss(f, v, load);
}
template <Scalar S>
S sliding_friction(const AxisFriction& f, const S& v, int direction, const S& load) {
  return algorithms::sliding_friction<S>(f.law, v, direction, load) + S(direction * f.gear_loss) * magnitude(load);
}
inline double breakaway_friction(const AxisFriction& f, int direction, double load) {
  return algorithms::breakaway_friction(f.law, direction, load) + f.gear_loss * magnitude(load);
}

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
S Plant::twist(const Spring& spring, const S* y) const noexcept {
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
S Plant::twist_rate(const Spring& spring, const S* y, const S* v) const noexcept {
  S rate(0);
  if (spring.driver != ground) rate += lever(spring, y) * v[spring.driver];
  return rate - load_side(spring, v);
}

/// What a wall sees of the tool: how deep it is and how fast it gets deeper.
template <Scalar S>
struct Penetration {
  S depth, rate;
};
template <Scalar S>
Penetration<S> penetration(const Wall& wall, const Vec3<S>& p, const Vec3<S>& v) {
  Penetration<S> into{S(0), S(0)};
  for (int k = 0; k < 3; ++k) {
    into.depth += S(wall.normal[k]) * (S(wall.point[k]) - p[k]);
    into.rate -= S(wall.normal[k]) * v[k];
  }
  return into;
}

}  // namespace armature::plant
