// Friction, inertia and gravity of one joint from its torque and its encoder, by an extended Kalman filter [Kostic2004, (10), (11)].
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "armature/model/friction.hpp"

namespace armature::identification {

/// J qdd = tau - friction(qd) - c sin(q + phase), the other joints held [Kostic2004, (11)]. The phase is geometry: with DH angles
/// gravity of a joint is a sine of its angle only up to a constant.
struct JointDynamics {
  double inertia = 1;  // J [kg m²]
  double gravity = 0;  // c [N m]
  double phase = 0;    // [rad]
  ThreeSigmoid friction;
};

struct FrictionEkfSettings {
  double tick = 1e-3;        // [s]
  double resolution = 1e-5;  // of the encoder [rad]: measurement variance resolution²/12
  JointDynamics guess;       // where the filter starts; its widths w must be positive
  bool gravity = true;       // false: the axis is parallel to gravity, c stays zero
  double doubt = 0.7;  // standard deviation of the guess, as a share of it (of f, b and c: of the largest of f and c)
  double disturbance = 0.1;  // unmodelled acceleration, standard deviation a tick [rad/s²]
  int passes = 8;            // over the data; each starts at the last one's parameters with less doubt
};

struct FrictionEkfResult {
  static constexpr int parameters = 9;
  /// In the order of the names below.
  [[nodiscard]] std::array<double, parameters> values() const;
  [[nodiscard]] double half_width(int k) const;  // of the 95 % interval (Student)
  JointDynamics estimate;
  std::array<double, parameters> deviation{};          // of the parameters as they are named below
  double freedom = 0;                                  // degrees of freedom of the deviations
  std::vector<std::array<double, parameters>> course;  // estimates over the last pass, every hundredth sample
  double innovation = 0;                               // r.m.s. of the last pass [rad]
};
/// "J", "c", "f1", "f2", "f3", "w1", "w2", "w3", "b".
const std::array<std::string, FrictionEkfResult::parameters>& friction_ekf_names();

/// The filter's state is (q, qd, ln J, c, f1..f3, ln w1..w3, b); it is carried over a tick by Runge–Kutta with its exact
/// derivatives. Torques are held from sample to sample. What the passes arrive at is settled by Gauss–Newton steps on the
/// innovations, friction kept to what a joint can have (viscous not negative) and sigmoids to widths that the speeds reached can tell from
/// viscous friction; the widest sigmoid comes last. Passes with more disturbance follow where innovations stay larger than they should. The filter's own covariance is as good as the disturbance it was told of: deviations
/// are found from the innovations instead, by leaving out each of 64 parts of the log in turn. Throws Error for signals of
/// different length, too short, not finite, or a joint that never moves.
FrictionEkfResult friction_ekf(std::span<const double> torque, std::span<const double> position,
                               const FrictionEkfSettings& settings);

/// What the joint does under torques held from sample to sample, and where they go.
struct JointSimulation {
  std::vector<double> q, v, friction, gravity, inertial;
};
JointSimulation simulate_joint(const JointDynamics& joint, std::span<const double> torque, double tick, double q0,
                               double v0);

}  // namespace armature::identification
