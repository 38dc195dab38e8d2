#include "armature/control/joint_pid.hpp"

#include <cmath>

#include "armature/control/internal/finite_state.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

JointPid::JointPid(const Arm& believed, const JointPidSettings& s, double tick)
    : Law({.joint_reference = true},
          torque_parts(believed.dof(), {"proportional", "integral", "derivative", "filters", "cut"})),
      kp_(joint_gains(believed, "kp", s.kp)),
      ki_(joint_gains(believed, "ki", s.ki)),
      kd_(joint_gains(believed, "kd", s.kd)),
      limit_(s.limit.size() > 0 ? joint_gains(believed, "limit", s.limit) : limits_of(believed, &Limits::torque)),
      back_(believed.dof()),
      integral_(VecX<double>::Zero(believed.dof())),
      rate_(integral_),
      filters_(believed, s.filters, tick) {
  number_at_least("tracking_time", s.tracking_time, 0);
  for (int i = 0; i < believed.dof(); ++i) {
    const double Ti = kp_[i] / ki_[i], Td = kd_[i] / kp_[i];  // not finite without ki, kp
    const double time = s.tracking_time > 0 ? s.tracking_time : (Td > 0 ? std::sqrt(Td * Ti) : Ti);
    back_[i] = ki_[i] > 0 && time > 0 && std::isfinite(time) ? 1 / time : 0;
  }
}

void JointPid::reset(const Measurement&) {
  integral_.setZero();
  filters_.reset();
  status_ = {};
}

void JointPid::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  part(0) = kp_.cwiseProduct(r.q - y.q);
  part(1) = integral_;
  part(2) = kd_.cwiseProduct(r.qd - y.qd);
  tau = part(0) + part(1) + part(2);
  part(3) = -tau;
  filters_.update(tau, dt);
  part(3) += tau;
  status_ = {};
  for (Eigen::Index i = 0; i < tau.size(); ++i) {
    const double cut = std::clamp(tau[i], -limit_[i], limit_[i]) - tau[i];
    if (cut != 0) status_ |= Condition::saturated;
    part(4)[i] = cut;
    rate_[i] = ki_[i] * (r.q[i] - y.q[i]) + back_[i] * cut;
    const double implicit = 1 + dt * back_[i] * (cut != 0 ? 1.0 : 0.0);  // backward Euler: stable for every dt
    advance(integral_[i], integral_[i] + dt * rate_[i] / implicit);
  }
  tau += part(4);
}

void JointPidSettings::fields(Fields& f) {
  f.joints("kp", kp, joint_dimension::stiffness, "stiffness", Range::not_negative, required);
  f.joints("ki", ki, joint_dimension::stiffness_rate, "stiffness of the integral", Range::not_negative, required);
  f.joints("limit", limit, joint_dimension::torque, "torque at which it is cut (default: the arm's)", Range::positive);
  f.number("tracking_time", tracking_time, dimension::time, "time constant of anti-windup; zero: chosen from the gains",
           Range::not_negative);
  f.joints("kd", kd, joint_dimension::damping, "damping", Range::not_negative, required);
  f.groups("filters", filters, "filters of the feedback, one after the other");
}
ARMATURE_LAW(joint_pid, JointPidSettings, JointPid)

}  // namespace armature::control
