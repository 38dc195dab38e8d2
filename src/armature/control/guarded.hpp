// A law behind a guard: it starts without a bump, stays within limits, and stops safely when something is wrong.
#pragma once

#include "armature/control/controller.hpp"
#include "armature/core/fields.hpp"
#include "armature/model/arm.hpp"

namespace armature::control {

struct GuardSettings {
  VecX<double> torque;             // limit, magnitude; empty: the arm's [N m | N]
  VecX<double> torque_rate;        // limit, magnitude; empty: none [N m/s | N/s]
  VecX<double> lower, upper;       // of the positions; empty: the arm's, none where it has none [rad | m]
  VecX<double> velocity;           // limit, magnitude; empty: the arm's [rad/s | m/s]
  double limit_margin = 0;         // before the position limits at which the guard acts [rad | m]
  double ramp = 0.2;               // over which the law's torque replaces the one at start [s]
  bool start_from_gravity = true;  // the torque at start is g(q): the arm hangs in its drives; else zero: on its brakes
  int missed_samples = 2;  // in a row that are bridged with the last torque (Measurement::sequence); one more: stop
  double largest_jump =
      0.05;  // of q between two samples beyond what the speed explains, or the other way round [rad | m]
  double longest_tick = 0.1;   // a longer dt is a fault [s]
  VecX<double> stop_damping;   // while braking; empty: stops the believed inertia within `stop_time` [N m s/rad]
  double stop_time = 0.1;      // time constant of braking [s]
  double stop_speed = 0.01;    // below it the arm is held [rad/s | m/s]
  double hold_bandwidth = 20;  // of the spring that then holds it: kp = M w², kd = 2 M w [rad/s]

  void fields(Fields& f);
};

/// Passes the law's torque on, ramped in after reset() and cut to the limits of torque and torque rate. A safe stop begins in
/// the very tick in which
///   - q, qd or a measurement that the law needs is not finite, has the wrong size or jumps, or too many samples are missed,
///   - the law's reference is not finite or has the wrong size, or dt is not a positive number up to `longest_tick`,
///   - a joint is faster than its limit, or beyond its position limit and moving further,
///   - the law's torque is not finite.
/// The stop brakes with a damper on top of the believed gravity, then holds the position where the arm came to rest. While q
/// and qd cannot be trusted it keeps g at the last good position and asks for the brakes (Condition::brakes). The law is
/// not called any more; reset() starts anew. Reports the law's parts as they count, and the rest as "guard". The torque limits bind in every mode and are symmetric about zero.
class Guarded : public LawAround {
 public:
  enum class Mode { running, stopping, holding };
  Guarded(Arm believed, AnyController law, const GuardSettings& settings = {});
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  /// From outside: an emergency button.
  void stop() noexcept;
  [[nodiscard]] Mode mode() const { return mode_; }
  /// Why the arm was stopped; empty while running.
  [[nodiscard]] Status cause() const { return cause_; }
  [[nodiscard]] const GuardSettings& limits() const { return settings_; }  // as they apply, the arm's filled in

 private:
  Status inspect(const Measurement& y, double dt) noexcept;
  Status inspect(const Reference& r) const noexcept;
  void safe_stop(bool trusted, VecX<double>& tau) noexcept;
  void limit(double dt, VecX<double>& tau) noexcept;

  Arm believed_;
  GuardSettings settings_;
  Mode mode_ = Mode::running;
  Status cause_;
  VecX<double> good_q_, good_qd_;  // the last that could be trusted
  VecX<double> hold_q_, mass_;
  VecX<double> last_, start_;  // torques
  long sequence_ = -1;
  int missed_ = 0;
  double since_good_ = 0, share_ = 0;
};
static_assert(Controller<Guarded>);

}  // namespace armature::control
