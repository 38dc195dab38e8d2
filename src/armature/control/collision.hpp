// Collisions: noticed without a force sensor, and answered.
#pragma once

#include "armature/control/external_torque.hpp"

namespace armature::control {

enum class CollisionReaction {
  none,     ///< only told (Condition::collision)
  stop,     ///< brake, then hold
  gravity,  ///< float: gravity compensation and a little damping, so that the arm can be pushed away
  retract   ///< go back along the torque that was felt, then hold
};

struct CollisionSettings {
  ExternalTorqueSettings observer;
  VecX<double> threshold;  // beyond which a joint's estimate is a collision [N m | N]
  int confirm = 1;         // ticks in a row beyond the threshold [-]
  CollisionReaction reaction = CollisionReaction::stop;
  double stop_time = 0.05;                             // time constant of braking [s]
  double hold_bandwidth = 20;                          // of the spring that holds or retracts [rad/s]
  double float_damping = 1;                            // of the floating arm: D = float_damping M [1/s]
  double retract_distance = 0.15, retract_time = 0.5;  // of the joint that felt most [rad | m], [s]

  void fields(Fields& f);
};

/// Runs `law` and an observer of the torque from outside; on a collision the reaction takes over until reset(). The observer is
/// told the torque that this law returned in the last tick, so nothing behind it may change that: put a Guarded inside, not
/// around. Reports the estimate as the signal "external_torque".
class CollisionMonitor : public LawAround {
 public:
  CollisionMonitor(Arm believed, AnyController law, const CollisionSettings& settings);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  [[nodiscard]] bool collided() const { return collided_; }
  [[nodiscard]] const VecX<double>& estimate() const { return observer_.estimate(); }

 private:
  void react(const Measurement& y, double dt, VecX<double>& tau) noexcept;

  Arm believed_;
  CollisionSettings settings_;
  ExternalTorqueObserver observer_;
  VecX<double> last_, hit_q_, retract_;
  int beyond_ = 0;
  bool collided_ = false, holding_ = false, first_ = true;
  double since_ = 0;  // the collision [s]
};
static_assert(Controller<CollisionMonitor>);

}  // namespace armature::control
