// A stand-in for a robot's driver: what a real one offers once a millisecond (read the joints, write the torques), with a
// simulated arm behind it. On a robot, only this file changes.
#pragma once

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/control/controller.hpp"

namespace example {

class Driver {
 public:
  Driver(armature::Arm arm, const armature::VecX<double>& q)
      : arm_(std::move(arm)), q_(q), qd_(armature::VecX<double>::Zero(q.size())) {}

  /// The newest sample: encoders with a resolution of 1e-6 rad.
  armature::Measurement read() {
    armature::Measurement y;
    y.q = (q_ / 1e-6).array().round() * 1e-6;
    y.qd = qd_;
    y.torque = armature::VecX<double>::Zero(q_.size());
    y.sequence = lost_ ? count_ : ++count_;
    return y;
  }

  /// Holds the torques until the next write: here a millisecond passes, in ten small steps.
  void write(const armature::VecX<double>& tau) {
    for (int k = 0; k < 10; ++k) {
      const armature::VecX<double> friction = armature::algorithms::smooth_friction<double>(arm_, qd_, tau);
      qd_ += 1e-4 * armature::forward_dynamics<double>(arm_, q_, qd_, tau - friction);
      q_ += 1e-4 * qd_;
    }
  }

  /// From now on no new sample arrives: somebody pulled the plug.
  void lose_samples() { lost_ = true; }
  [[nodiscard]] const armature::VecX<double>& true_speed() const { return qd_; }

 private:
  armature::Arm arm_;
  armature::VecX<double> q_, qd_;
  long count_ = 0;
  bool lost_ = false;
};

}  // namespace example
