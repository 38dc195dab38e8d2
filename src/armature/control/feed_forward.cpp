#include "armature/control/feed_forward.hpp"

namespace armature::control {

FeedForward::FeedForward(Arm believed, const DynamicTerms& terms)
    : Law({.joint_reference = true}, term_parts(believed.dof())), believed_(std::move(believed)), terms_(terms) {}

void FeedForward::update(const Measurement&, const Reference& r, double, VecX<double>& tau) noexcept {
  term_torques(believed_, terms_, r.q, r.qd, r.qdd, torques_);
  tau = torques_.report(parts_);
}

ARMATURE_LAW(feed_forward, DynamicTerms, FeedForward)

}  // namespace armature::control
