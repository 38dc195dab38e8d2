#include "armature/control/compensation.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

GravityCompensation::GravityCompensation(Arm believed, const GravityCompensationSettings& s)
    : Law({.joint_reference = s.at_reference}, torque_parts(believed.dof(), {"gravity"})),
      believed_(std::move(believed)),
      at_reference_(s.at_reference) {}

void GravityCompensation::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  tau = part(0) = gravity_torque<double>(believed_, at_reference_ ? r.q : y.q);
}

FrictionCompensation::FrictionCompensation(Arm believed, const FrictionCompensationSettings& s)
    : Law({.joint_reference = s.speed == FrictionCompensationSettings::Speed::reference},
          torque_parts(believed.dof(), {"friction"})),
      believed_(std::move(believed)),
      settings_(s) {
  number_at_least("share", s.share, 0);
  number_at_least("sign_width", s.sign_width, 1e-9);
}

void FrictionCompensation::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  const bool measured = settings_.speed == FrictionCompensationSettings::Speed::measured;
  const VecX<double> load = gravity_torque<double>(believed_, y.q);  // what laws that depend on the load see
  tau = part(0) =
      settings_.share * smooth_friction<double>(believed_, measured ? y.qd : r.qd, load, settings_.sign_width);
}

void GravityCompensationSettings::fields(Fields& f) {
  f.flag("at_reference", at_reference, "gravity at the wanted position in place of the measured one");
}
ARMATURE_LAW(gravity, GravityCompensationSettings, GravityCompensation)

void FrictionCompensationSettings::fields(Fields& f) {
  f.word("speed", speed, {"reference", "measured"}, "whose speed the friction is taken at");
  f.number("share", share, dimension::none, "share of the believed friction that is compensated", Range::not_negative);
  f.number("sign_width", sign_width, dimension::rate, "speed that smooths jumps at zero speed", Range::positive);
}
ARMATURE_LAW(friction, FrictionCompensationSettings, FrictionCompensation)

void JointDampingSettings::fields(Fields& f) {
  f.joints("kd", kd, joint_dimension::damping, "damping", Range::not_negative, required);
}
AnyController JointDampingSettings::make(const LawContext& in) const {
  return AnyController(JointDamping{joint_gains(in.arm, "kd", kd)});
}
ARMATURE_LAW(joint_damping, JointDampingSettings)

}  // namespace armature::control
