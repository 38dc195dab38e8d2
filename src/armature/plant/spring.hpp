// Shafts, gears, belts and end stops.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace armature::plant {

inline constexpr int ground = -1;

/// A shaft, a gear or a belt between two axes, or from an axis to the ground. Its twist is measured on the driven side:
///     twist = driver/ratio + error_amplitude sin(error_order driver + error_phase) - driven - sum of factor * axis - rest
/// with the last sum over `coupled`: the joints that a coupled motor turns together.
/// Within ±backlash it carries nothing; beyond, with x the twist past the play,
///     torque = stiffness x + hardening x³ + damping d(twist)/dt
/// and it pushes only: a damper does not pull the teeth together. With a hysteresis torque, a Dahl element [Dahl1968] of
/// that limit and stiffness acts beside it.
struct Spring {
  std::string name;
  int driver = ground;                                           // axis on the motor's side
  int driven = ground;                                           // axis on the load's side
  double ratio = 1;                                              // driver turns a driven turn
  double stiffness = 0;                                          // [N m/rad]
  double hardening = 0;                                          // [N m/rad³]: stiffness that grows with the load
  double damping = 0;                                            // [N m s/rad]
  double backlash = 0;                                           // half the free play [rad]
  double error_amplitude = 0, error_order = 0, error_phase = 0;  // kinematic error of a gear [rad] [-] [rad]
  double hysteresis_torque = 0, hysteresis_stiffness = 0;        // [N m] [N m/rad]
  std::vector<std::pair<int, double>> coupled;                   // (axis, factor); `driven` is ground then
  double rest = 0;                                               // twist without load [rad]

  /// Play between a joint and the ground: the joint's end stops.
  [[nodiscard]] bool is_end_stop() const { return driver == ground && backlash > 0; }
};

/// The two end stops of an axis, as a spring with play: nothing in between, `stiffness` and `damping` beyond. Infinite: no stop
/// on that side.
Spring end_stops(std::string name, int axis, double lower, double upper, double stiffness, double damping);

/// Throws ModelError where it names an axis that is not there (they count from 0 to axes - 1) or has an impossible number.
void check(const Spring& spring, int axes);

}  // namespace armature::plant
