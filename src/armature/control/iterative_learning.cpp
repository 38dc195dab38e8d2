#include "armature/control/iterative_learning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/control/internal/finite_state.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

IterativeLearning::IterativeLearning(const Arm& believed, const IterativeLearningSettings& s)
    : Law({.joint_reference = true}, torque_parts(believed.dof(), {"learned"})), settings_(s) {
  number_at_least("ticks", s.ticks, 1);
  number_at_least("lead", s.lead, 0);
  number_at_least("smoothing", s.smoothing, 0);
  number_at_least("forgetting", s.forgetting, 0);
  settings_.kp = joint_gains(believed, "kp", s.kp);
  settings_.kd = joint_gains(believed, "kd", s.kd);
  now_.assign(s.ticks, VecX<double>::Zero(believed.dof()));
  raw_ = next_ = now_;
}

void IterativeLearning::reset(const Measurement&) {
  if (tick_ >= settings_.ticks) {
    for (int k = std::max(0, settings_.ticks - settings_.lead); k < settings_.ticks; ++k)  // no error came after these
      raw_[k] = (1 - settings_.forgetting) * now_[k];
    for (int k = std::max(0, settings_.ticks - settings_.lead - settings_.smoothing); k < settings_.ticks; ++k)
      next_[k] = smoothed(k);
    std::swap(now_, next_);
    ++trials_;
  }
  tick_ = 0;
}

/// Q at k: weights fall linearly to the sides; near the ends only what exists counts.
VecX<double> IterativeLearning::smoothed(int k) const noexcept {
  const int w = settings_.smoothing;
  VecX<double> sum = VecX<double>::Zero(raw_.front().size());
  double weights = 0;
  for (int j = std::max(0, k - w); j <= std::min(settings_.ticks - 1, k + w); ++j) {
    const double weight = w + 1 - std::abs(j - k);
    sum += weight * raw_[j];
    weights += weight;
  }
  return sum / weights;
}

void IterativeLearning::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  if (tick_ >= settings_.ticks) {
    tau = part(0) = VecX<double>::Zero(settings_.kp.size());
    return;
  }
  tau = part(0) = now_[tick_];
  if (!(dt > 0)) return;
  if (const int k = tick_ - settings_.lead; k >= 0) {
    raw_[k] = (1 - settings_.forgetting) * now_[k];
    const VecX<double> learned =
        raw_[k] + settings_.kp.cwiseProduct(r.q - y.q) + settings_.kd.cwiseProduct(r.qd - y.qd);
    advance(raw_[k], learned);
    if (k >= settings_.smoothing) next_[k - settings_.smoothing] = smoothed(k - settings_.smoothing);
  }
  ++tick_;
}

namespace {

/// Begins a trial every so many ticks.
struct Trials : AroundLaw {
  int ticks;
  int tick = 0;

  void reset(const Measurement& y) {
    law.reset(y);
    tick = 0;
  }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    if (dt > 0 && tick++ == ticks) {
      tick = 1;
      law.reset(y);
    }
    law.update(y, r, dt, tau);
  }
};

}  // namespace

void IterativeLearningSettings::fields(Fields& f) {
  f.joints("kp", kp, joint_dimension::stiffness, "stiffness", Range::not_negative, required);
  f.joints("kd", kd, joint_dimension::damping, "damping", Range::not_negative, required);
  f.number("trial", trial, dimension::time, "how long a trial lasts; with reference.repeat", Range::positive);
  f.integer("lead", lead, "ticks by which the error trails the torque", Range::not_negative);
  f.integer("smoothing", smoothing, "ticks: half width of the zero-phase filter", Range::not_negative);
  f.number("forgetting", forgetting, dimension::none, "share that is dropped each trial", Range::not_negative);
}
AnyController IterativeLearningSettings::make(const LawContext& in) const {
  const double ticks_of_trial = trial / in.tick;
  if (!(ticks_of_trial >= 1 && ticks_of_trial <= 1e6) || std::abs(ticks_of_trial - std::round(ticks_of_trial)) > 1e-6)
    in.refuse("trial", fmt::format("a trial of {} s is not a whole number of ticks of {} s", trial, in.tick),
              "1 to 1e6 ticks");
  IterativeLearningSettings counted = *this;
  counted.ticks = static_cast<int>(std::lround(ticks_of_trial));
  return AnyController(Trials{{AnyController(IterativeLearning(in.arm, counted))}, counted.ticks});
}
ARMATURE_LAW(iterative_learning, IterativeLearningSettings)

}  // namespace armature::control
