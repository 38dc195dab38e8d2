// Friction laws as data. algorithms/friction.hpp evaluates them; plant/ gives those with a state their state.
// All oppose motion: positive for positive speed, subtracted from the drive's torque. [N m] stands for [N] at a
// prismatic joint, [rad] for [m].
#pragma once

#include <array>
#include <variant>

#include "armature/rooms.hpp"

namespace armature::model {

struct NoFriction {
  friend bool operator==(const NoFriction&, const NoFriction&) = default;
};

/// tau = coulomb sgn(qd) + viscous qd
struct CoulombViscous {
  double coulomb = 0;  // [N m]
  double viscous = 0;  // [N m s/rad]
  friend bool operator==(const CoulombViscous&, const CoulombViscous&) = default;
};

/// tau = (coulomb + (stiction - coulomb) exp(-|qd/stribeck_velocity|^exponent)) sgn(qd) + viscous qd + offset
struct Stribeck {
  double coulomb = 0;            // [N m]
  double stiction = 0;           // [N m], at least coulomb; `static` in files
  double stribeck_velocity = 1;  // [rad/s]
  double viscous = 0;            // [N m s/rad]
  double exponent = 2;
  double offset = 0;  // [N m]
  friend bool operator==(const Stribeck&, const Stribeck&) = default;
};

/// tau = sum_k f_k (1 - 2/(exp(2 w_k qd) + 1)) + viscous qd = sum_k f_k tanh(w_k qd) + viscous qd + offset
/// [Kostic2004, (10)], there without the offset
struct ThreeSigmoid {
  std::array<double, 3> f{};  // [N m]
  std::array<double, 3> w{};  // [s/rad]
  double viscous = 0;         // [N m s/rad]
  double offset = 0;          // [N m]
  friend bool operator==(const ThreeSigmoid&, const ThreeSigmoid&) = default;
};

/// zd = qd - sigma0 |qd|/g(qd) z,  tau = sigma0 z + sigma1 zd + sigma2 qd,
/// g(qd) = coulomb + (stiction - coulomb) exp(-(qd/stribeck_velocity)²)   [CanudasDeWit1995]
struct LuGre {
  double sigma0 = 0;             // bristle stiffness [N m/rad]
  double sigma1 = 0;             // bristle damping [N m s/rad]
  double sigma2 = 0;             // viscous [N m s/rad]
  double coulomb = 0;            // [N m]
  double stiction = 0;           // [N m]
  double stribeck_velocity = 1;  // [rad/s]
  friend bool operator==(const LuGre&, const LuGre&) = default;
};

/// tau = offset + (coulomb_positive + viscous_positive qd)   for qd > 0
///       offset - (coulomb_negative - viscous_negative qd)   for qd < 0
struct AsymmetricFriction {
  double coulomb_positive = 0, coulomb_negative = 0;  // [N m], both >= 0
  double viscous_positive = 0, viscous_negative = 0;  // [N m s/rad]
  double offset = 0;                                  // [N m]
  friend bool operator==(const AsymmetricFriction&, const AsymmetricFriction&) = default;
};

/// tau = (coulomb + load_coefficient |load|) sgn(qd) + viscous qd + offset, with the torque the joint carries as load: what its friction
/// leaves of the drive's torque
struct LoadDependent {
  double coulomb = 0;           // [N m]
  double viscous = 0;           // [N m s/rad]
  double load_coefficient = 0;  // [-], below 1: else no torque moves the joint
  double offset = 0;            // [N m]
  friend bool operator==(const LoadDependent&, const LoadDependent&) = default;
};

using Friction =
    std::variant<NoFriction, CoulombViscous, Stribeck, ThreeSigmoid, LuGre, AsymmetricFriction, LoadDependent>;

}  // namespace armature::model
