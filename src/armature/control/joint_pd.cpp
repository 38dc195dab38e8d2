#include "armature/control/joint_pd.hpp"

#include "armature/control/internal/settings.hpp"

namespace armature::control {

void JointPdSettings::fields(Fields& f) {
  f.joints("kp", kp, joint_dimension::stiffness, "stiffness", Range::not_negative, required);
  f.joints("kd", kd, joint_dimension::damping, "damping", Range::not_negative, required);
}
AnyController JointPdSettings::make(const LawContext& in) const {
  return AnyController(JointPd{joint_gains(in.arm, "kp", kp), joint_gains(in.arm, "kd", kd)});
}
ARMATURE_LAW(joint_pd, JointPdSettings)

void OpenLoopSettings::fields(Fields& f) { f.joints("tau", tau, joint_dimension::torque, "torques (default: zero)"); }
AnyController OpenLoopSettings::make(const LawContext& in) const {
  return AnyController(OpenLoop{joint_numbers(in.arm, "tau", tau)});
}
ARMATURE_LAW(open_loop, OpenLoopSettings)

}  // namespace armature::control
