#include "armature/control/computed_torque.hpp"

#include "armature/control/internal/settings.hpp"

namespace armature::control {

ComputedTorque::ComputedTorque(Arm believed, const ComputedTorqueSettings& s, double tick)
    : Law({.joint_reference = true}, term_parts(believed.dof())),
      believed_(std::move(believed)),
      settings_(s),
      filters_(believed_, s.filters, tick) {
  parts_.push_back({"acceleration", "1/s^2", VecX<double>::Zero(believed_.dof())});
  settings_.kp = joint_gains(believed_, "kp", s.kp);
  settings_.kd = joint_gains(believed_, "kd", s.kd);
}

void ComputedTorque::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  VecX<double> feedback = settings_.kd.cwiseProduct(r.qd - y.qd) + settings_.kp.cwiseProduct(r.q - y.q);
  filters_.update(feedback, dt);
  const VecX<double> command = r.qdd + feedback;
  term_torques(believed_, settings_.terms, y.q, y.qd, command, torques_);
  if (!settings_.terms.inertia) torques_.inertia += command;
  tau = torques_.report(parts_);
  part(4) = command;
}

void ComputedTorqueSettings::fields(Fields& f) {
  f.joints("kp", kp, joint_dimension::rate_squared, "squared frequency of the error", Range::not_negative, required);
  f.joints("kd", kd, joint_dimension::rate, "damping of the error", Range::not_negative, required);
  f.groups("filters", filters, "filters of the feedback, one after the other");
  terms.fields(f);
}
ARMATURE_LAW(computed_torque, ComputedTorqueSettings, ComputedTorque)

}  // namespace armature::control
