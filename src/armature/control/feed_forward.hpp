// Torques of the wanted motion, computed ahead.
#pragma once

#include "armature/control/controller.hpp"
#include "armature/control/rigid_terms.hpp"

namespace armature::control {

/// tau = M(q_r) qdd_r + C(q_r, qd_r) qd_r + g(q_r) + friction(qd_r), every term of which can be left out: the model part of
/// [Kostic2004, (24)], whose six cases are subsets. Feeds nothing back: add a JointPd.
class FeedForward : public Law {
 public:
  explicit FeedForward(Arm believed, const DynamicTerms& terms = {});
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return terms_.switch_term(name, on); }

 private:
  Arm believed_;
  DynamicTerms terms_;
  TermTorques torques_;
};
static_assert(Controller<FeedForward>);

}  // namespace armature::control
