// PID at every joint, whose integral does not wind up.
#pragma once

#include "armature/control/joint_filters.hpp"

namespace armature::control {

struct JointPidSettings {
  VecX<double> kp;     // [N m/rad | N/m]
  VecX<double> ki;     // [N m/(rad s)]
  VecX<double> kd;     // [N m s/rad]
  VecX<double> limit;  // torque beyond which the command is cut; empty: the arm's, none where it has none [N m]
  std::vector<FilterSettings> filters;
  double tracking_time = 0;  // of the back-calculation [s]; 0: √(Td Ti), or Ti where there is no kd

  void fields(Fields& f);
};

/// tau = sat(F(kp e + ki ∫e + kd ed)),  e = q_r - q, with the filters F. While the command is cut, the integral is driven back by the excess over
/// `tracking_time` [AstromHagglund2006, sec. 3.5], so that it neither winds up nor jumps.
class JointPid : public Law {
 public:
  JointPid(const Arm& believed, const JointPidSettings& settings, double tick = LawContext::default_tick);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  void integrals(const IntegralVisitor& visit) { show(visit, integral_, rate_); }
  [[nodiscard]] const VecX<double>& integral() const { return integral_; }  // [N m]

 private:
  VecX<double> kp_, ki_, kd_, limit_, back_;  // back_ [1/s]
  VecX<double> integral_, rate_;
  JointFilters filters_;
};
static_assert(Controller<JointPid>);

}  // namespace armature::control
