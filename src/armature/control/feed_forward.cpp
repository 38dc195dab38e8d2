#include "armature/control/feed_forward.hpp"

namespace armature::control {

FeedForward::FeedForward(Arm believed, const DynamicTerms& terms)
    : Law({.joint_reference = true}, torque_parts(believed.dof(), {"inertia", "coriolis", "gravity", "friction"})),
      believed_(std::move(believed)),
      terms_(terms) {}

void FeedForward::update(const Measurement&, const Reference& r, double, VecX<double>& tau) noexcept {
  term_torques(believed_, terms_, r.q, r.qd, r.qdd, torques_);
  part(0) = torques_.inertia;
  part(1) = torques_.coriolis;
  part(2) = torques_.gravity;
  part(3) = torques_.friction;
  tau = torques_.inertia + torques_.coriolis + torques_.gravity + torques_.friction;
}

bool FeedForward::switch_term(std::string_view name, bool on) noexcept {
  bool* const terms[] = {&terms_.inertia, &terms_.coriolis, &terms_.gravity, &terms_.friction};
  for (std::size_t k = 0; k < 4; ++k)
    if (parts_[k].name == name) return *terms[k] = on, true;
  return false;
}

ARMATURE_LAW(feed_forward, FeedForwardSettings)

}  // namespace armature::control
