#include "armature/control/iterative_learning.hpp"

#include <algorithm>

#include "armature/control/finite_state.hpp"
#include "armature/control/settings.hpp"

namespace armature {

IterativeLearning::IterativeLearning(const Arm& believed, const IterativeLearningSettings& s)
    : Law({.joint_reference = true}, torque_parts(believed.dof(), {"learned"})), settings_(s) {
  number_at_least("ticks", s.ticks, 1);
  number_at_least("lead", s.lead, 0);
  number_at_least("smoothing", s.smoothing, 0);
  number_at_least("forgetting", s.forgetting, 0);
  settings_.kp = joint_gains(believed, "kp", s.kp);
  settings_.kd = joint_gains(believed, "kd", s.kd);
  now_.assign(static_cast<std::size_t>(s.ticks), VecX<double>::Zero(believed.dof()));
  raw_ = next_ = now_;
}

void IterativeLearning::reset(const Measurement&) {
  if (tick_ >= settings_.ticks) {
    for (int k = std::max(0, settings_.ticks - settings_.lead); k < settings_.ticks; ++k)  // no error came after these
      raw_[static_cast<std::size_t>(k)] = (1 - settings_.forgetting) * now_[static_cast<std::size_t>(k)];
    for (int k = std::max(0, settings_.ticks - settings_.lead - settings_.smoothing); k < settings_.ticks; ++k)
      next_[static_cast<std::size_t>(k)] = smoothed(k);
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
    sum += weight * raw_[static_cast<std::size_t>(j)];
    weights += weight;
  }
  return sum / weights;
}

void IterativeLearning::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  if (tick_ >= settings_.ticks) {
    tau = part(0) = VecX<double>::Zero(settings_.kp.size());
    return;
  }
  tau = part(0) = now_[static_cast<std::size_t>(tick_)];
  if (!(dt > 0)) return;
  if (const int k = tick_ - settings_.lead; k >= 0) {
    const auto i = static_cast<std::size_t>(k);
    raw_[i] = (1 - settings_.forgetting) * now_[i];
    const VecX<double> learned =
        raw_[i] + settings_.kp.cwiseProduct(r.q - y.q) + settings_.kd.cwiseProduct(r.qd - y.qd);
    advance(raw_[i], learned);
    if (k >= settings_.smoothing)
      next_[static_cast<std::size_t>(k - settings_.smoothing)] = smoothed(k - settings_.smoothing);
  }
  ++tick_;
}

}  // namespace armature
