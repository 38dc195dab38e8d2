// Inverse dynamics in joint space.
#pragma once

#include "armature/control/joint_filters.hpp"
#include "armature/control/rigid_terms.hpp"

namespace armature::control {

struct ComputedTorqueSettings {
  VecX<double> kp;  // [1/s²]
  VecX<double> kd;  // [1/s]
  std::vector<FilterSettings> filters;
  DynamicTerms terms;  // of the believed arm; without inertia the command acts as a torque, M replaced by 1

  void fields(Fields& f);
};

/// tau = M(q) y + C(q, qd) qd + g(q) (+ friction(qd)),   y = qdd_r + F(kd (qd_r - qd) + kp (q_r - q))
/// with the filters F [Siciliano2009, (8.56), (8.58)]; [Verona2023, (56)-(58)], [Kostic2004, (25), (27)]. With the true arm every joint obeys
/// edd + kd ed + kp e = 0. A wrong model is just another arm.
class ComputedTorque : public Law {
 public:
  ComputedTorque(Arm believed, const ComputedTorqueSettings& settings, double tick = LawContext::default_tick);
  void reset(const Measurement&) { filters_.reset(); }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return settings_.terms.switch_term(name, on); }

 private:
  Arm believed_;
  ComputedTorqueSettings settings_;
  TermTorques torques_;
  JointFilters filters_;
};
static_assert(Controller<ComputedTorque>);

}  // namespace armature::control
