#include "armature/control/adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "armature/algorithms/spring.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

Arm without_gravity(const Arm& arm) {
  ArmDescription description = arm.description();
  description.gravity.setZero();
  return arm.with_description(std::move(description));
}

void slotine_li_regressor(const Arm& arm, const Arm& weightless, const VecX<double>& q, const VecX<double>& qd,
                          const VecX<double>& v, const VecX<double>& a, Regressor<double>& spare,
                          Regressor<double>& Y) noexcept {
  const VecX<double> half_sum = (qd + v) / 2, half_difference = (qd - v) / 2;
  torque_regressor<double>(arm, q, half_sum, a, Y);
  torque_regressor<double>(weightless, q, half_difference, VecX<double>::Zero(q.size()), spare);
  Y -= spare;
}

Adaptive::Adaptive(const Arm& believed, const AdaptiveSettings& s)
    : Law({.joint_reference = true}, torque_parts(believed.dof(), {"model", "feedback"})),
      believed_(believed),
      weightless_(without_gravity(believed)),
      settings_(s),
      base_(base_parameters(believed)) {
  settings_.kd = joint_gains(believed, "kd", s.kd);
  settings_.lambda = joint_gains(believed, "lambda", s.lambda);
  number_at_least("adaptation", s.adaptation, 0);
  number_at_least("friction_width", s.friction_width, 1e-9);
  number_at_least("friction_size", s.friction_size, 0);
  number_at_least("bound", s.bound, 0);
  number_at_least("dead_zone", s.dead_zone, 0);

  const int n = believed.dof(), inertial = base_.count(), all = inertial + (s.friction ? 3 * n : 0);
  const Eigen::VectorXd values = base_parameter_values(believed, base_);
  // A parameter that is small or zero by symmetry may still be wrong: its size is at least a part of the typical one.
  const double typical = 0.1 * std::sqrt(values.squaredNorm() / std::max(1, inertial));
  first_ = Eigen::VectorXd::Zero(all);
  first_.head(inertial) = values;
  gamma_ = lower_ = upper_ = rate_ = first_;
  const auto own = friction_parameters(believed);
  for (int k = 0; k < all; ++k) {
    if (k >= inertial && own) first_[k] = (*own)[k - inertial];
    const double size = k < inertial ? std::max(std::abs(values[k]), typical) : s.friction_size;
    gamma_[k] = s.adaptation * size * size;
    lower_[k] = first_[k] - s.bound * size;
    upper_[k] = first_[k] + s.bound * size;
    if (k >= inertial && (k - inertial) % 3 != 2) lower_[k] = std::max(0.0, lower_[k]);
  }
  p_ = first_;
  s_ = VecX<double>::Zero(n);
  Y_ = without_gravity_ = Regressor<double>::Zero(n, parameters_per_link * n);
  parts_.push_back({"sliding", "rad/s | m/s", s_});
}

void Adaptive::forget() { p_ = first_; }

void Adaptive::evaluate(const Measurement& y, const Reference& r, const Eigen::VectorXd& p, VecX<double>& tau,
                        Eigen::VectorXd& rate) noexcept {
  const int n = believed_.dof(), inertial = base_.count();
  const VecX<double> e = r.q - y.q, ed = r.qd - y.qd;
  const VecX<double> qd_s = r.qd + settings_.lambda.cwiseProduct(e);
  const VecX<double> qdd_s = r.qdd + settings_.lambda.cwiseProduct(ed);
  s_ = qd_s - y.qd;
  slotine_li_regressor(believed_, weightless_, y.q, y.qd, qd_s, qdd_s, without_gravity_, Y_);
  VecX<double> model = spring_torque<double>(believed_, y.q);  // known, not learned
  for (int k = 0; k < inertial; ++k) {
    const auto column = Y_.col(base_.columns.kept[k]);
    model += column * p[k];
    rate[k] = gamma_[k] * column.dot(s_);
  }
  if (settings_.friction)
    for (int i = 0; i < n; ++i) {  // Coulomb of the measured speed, viscous of the reference speed: -sᵀ F s besides
      const double column[3] = {std::tanh(y.qd[i] / settings_.friction_width), qd_s[i], 1};
      for (int c = 0; c < 3; ++c) {
        const int k = inertial + 3 * i + c;
        model[i] += column[c] * p[k];
        rate[k] = gamma_[k] * column[c] * s_[i];
      }
    }
  if (settings_.dead_zone > 0) {  // continuous: starts from zero at the edge
    const double size = s_.norm();
    rate *= size > settings_.dead_zone ? 1 - settings_.dead_zone / size : 0;
  }
  for (Eigen::Index k = 0; k < rate.size(); ++k)
    if ((p[k] >= upper_[k] && rate[k] > 0) || (p[k] <= lower_[k] && rate[k] < 0)) rate[k] = 0;  // projection
  part(0) = model;
  part(1) = settings_.kd.cwiseProduct(s_);
  part(2) = s_;
  tau = part(0) + part(1);
}

void Adaptive::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  evaluate(y, r, p_, tau, rate_);
  if (dt > 0 && std::isfinite(rate_.sum()))  // nonsense teaches nothing
    for (Eigen::Index k = 0; k < p_.size(); ++k) p_[k] = std::clamp(p_[k] + dt * rate_[k], lower_[k], upper_[k]);
}

void AdaptiveSettings::fields(Fields& f) {
  f.joints("kd", kd, joint_dimension::damping, "damping", Range::not_negative, required);
  f.joints("lambda", lambda, joint_dimension::rate, "how fast errors die in the sliding variable", Range::positive,
           required);
  f.number("adaptation", adaptation, dimension::none, "how fast it learns, per squared size of a parameter",
           Range::not_negative);
  f.flag("friction", friction, "it learns friction as well");
  f.number("friction_width", friction_width, dimension::rate, "speed over which its sign is smoothed", Range::positive);
  f.number("friction_size", friction_size, dimension::torque, "magnitude that friction may have", Range::positive);
  f.number("bound", bound, dimension::none, "parameters stay within so many of their sizes", Range::positive);
  f.number("dead_zone", dead_zone, dimension::rate, "nothing is learned from less", Range::not_negative);
}
ARMATURE_LAW(adaptive, AdaptiveSettings, Adaptive)

}  // namespace armature::control
