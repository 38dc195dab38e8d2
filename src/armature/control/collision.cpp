#include "armature/control/collision.hpp"

#include <algorithm>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/core/error.hpp"

namespace armature::control {

CollisionMonitor::CollisionMonitor(Arm believed, AnyController law, const CollisionSettings& s)
    : LawAround(std::move(law), {.joint_reference = s.observer.method == ExternalTorqueMethod::desired},
                believed.dof()),
      believed_(std::move(believed)),
      settings_(s),
      observer_(believed_, s.observer) {
  settings_.threshold = joint_gains(believed_, "threshold", s.threshold);
  if (settings_.threshold.minCoeff() <= 0)
    throw Error("a collision threshold is not positive", "external_torque_noise() and threshold_factor() give one");
  number_at_least("confirm", s.confirm, 1);
  number_at_least("stop_time", s.stop_time, 1e-4);
  number_at_least("retract_time", s.retract_time, 1e-3);
  parts_.push_back({"reaction", "", VecX<double>::Zero(believed_.dof())});
  parts_.push_back({"external_torque", "N m | N", VecX<double>::Zero(believed_.dof())});
  last_ = hit_q_ = retract_ = VecX<double>::Zero(believed_.dof());
}

void CollisionMonitor::reset(const Measurement& y) {
  observer_.reset(y);
  law_.reset(y);
  collided_ = holding_ = false;
  first_ = true;
  beyond_ = 0;
  since_ = 0;
  status_ = {};
}

void CollisionMonitor::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  if (!first_) observer_.update(y, r, last_, dt);
  first_ = false;
  const VecX<double>& felt = observer_.estimate();
  if (!collided_ && y.q.allFinite()) {
    beyond_ = (felt.cwiseAbs().array() > settings_.threshold.array()).any() ? beyond_ + 1 : 0;
    if (beyond_ >= settings_.confirm) {
      collided_ = true;
      since_ = 0;
      hit_q_ = y.q;
      retract_ = felt * (settings_.retract_distance / std::max(felt.cwiseAbs().maxCoeff(), 1e-12));
    }
  }
  for (Part& p : parts_)
    if (p.is_torque()) p.value = VecX<double>::Zero(believed_.dof());
  status_ = collided_ ? Status(Condition::collision) : Status();
  if (collided_ && settings_.reaction != CollisionReaction::none) {
    react(y, dt, tau);
    part(own_) = tau;
  } else {
    law_.update(y, r, dt, tau);
    status_ |= law_.status();
    show_law(tau);
  }
  parts_.back().value = felt;
  last_ = tau;
}

void CollisionMonitor::react(const Measurement& y, double dt, VecX<double>& tau) noexcept {
  since_ += dt;
  tau = gravity_torque<double>(believed_, y.q);
  const MatX<double> M = mass_matrix<double>(believed_, y.q);
  const double w = settings_.hold_bandwidth;
  const auto spring = [&](const VecX<double>& to) { tau += M * (w * w * (to - y.q) - 2 * w * y.qd); };
  if (settings_.reaction == CollisionReaction::gravity) {
    tau -= settings_.float_damping * (M * y.qd);
  } else if (settings_.reaction == CollisionReaction::retract) {
    const double s = std::min(1.0, since_ / settings_.retract_time);
    spring(hit_q_ + s * s * (3 - 2 * s) * retract_);
    status_ |= s < 1 ? Condition::stopping : Condition::holding;
  } else {
    if (!holding_ && y.q.allFinite() && since_ > 3 * settings_.stop_time) {
      holding_ = true;
      hit_q_ = y.q;
    }
    if (holding_)
      spring(hit_q_);
    else
      tau -= (M * y.qd) / settings_.stop_time;
    status_ |= holding_ ? Condition::holding : Condition::stopping;
  }
}

void CollisionSettings::fields(Fields& f) {
  observer.fields(f);
  f.joints("threshold", threshold, joint_dimension::torque, "external torque that counts as a collision",
           Range::positive, observer.method != ExternalTorqueMethod::none);
  f.integer("confirm", confirm, "ticks in a row beyond the threshold", Range::positive);
  f.word("reaction", reaction, {"none", "stop", "gravity", "retract"}, "what the arm does then");
  f.number("stop_time", stop_time, dimension::time, "time constant of braking", Range::positive);
  f.number("hold_bandwidth", hold_bandwidth, dimension::rate, "bandwidth of the spring that holds or retracts",
           Range::not_negative);
  f.number("float_damping", float_damping, dimension::rate, "damping of the arm that floats", Range::not_negative);
  f.angle("retract_distance", retract_distance, "how far the joint with the largest external torque retracts",
          Range::positive);
  f.number("retract_time", retract_time, dimension::time, "how long retracting takes", Range::positive);
}

}  // namespace armature::control
