#include "armature/control/null_space.hpp"

#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/operational_space.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

NullSpaceTerm::NullSpaceTerm(Arm believed, AnyController inner, const NullSpaceSettings& s)
    : Law(inner.needs(), torque_parts(believed.dof(), {"null_space"})),
      believed_(std::move(believed)),
      inner_(std::move(inner)),
      settings_(s) {
  for (const Part& p : inner_.parts())
    if (!p.is_torque()) parts_.push_back(p);
}

void NullSpaceTerm::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  inner_.update(y, r, dt, tau);
  const TaskJacobian<double> J =
      settings_.rows.of<double>(tool_jacobian<double>(believed_, forward_kinematics<double>(believed_, y.q)));
  const TaskInverseResult inverse = task_inverse(J, mass_matrix<double>(believed_, y.q), settings_.inverse);
  tau = part(0) = null_space_projector(J, inverse.inverse) * tau;
  status_ = inner_.status();
  if (inverse.singular) status_ |= Condition::singular;
  std::size_t k = 1;
  for (const Part& p : inner_.parts())
    if (!p.is_torque()) part(k++) = p.value;
}

SingularityAvoidance::SingularityAvoidance(Arm believed, const SingularityAvoidanceSettings& s)
    : Law({}, torque_parts(believed.dof(), {"singularity_avoidance"})), believed_(std::move(believed)), settings_(s) {
  number_at_least("threshold", s.threshold, 0);
  number_at_least("gain", s.gain, 0);
  parts_.push_back({"manipulability", "mixed", VecX<double>::Zero(1)});
}

void SingularityAvoidance::update(const Measurement& y, const Reference&, double, VecX<double>& tau) noexcept {
  const ManipulabilityGradient m = manipulability_gradient(believed_, y.q, settings_.rows);
  const double deficit = std::max(0.0, settings_.threshold - m.value);
  tau = part(0) = settings_.gain * deficit * m.gradient;
  part(1)[0] = m.value;
  status_ = m.singular ? Status(Condition::singular) : Status();
}

JointLimitAvoidance::JointLimitAvoidance(const Arm& believed, const JointLimitAvoidanceSettings& s)
    : Law({}, torque_parts(believed.dof(), {"limit_avoidance"})),
      stiffness_(joint_gains(believed, "stiffness", s.stiffness)),
      from_(s.lower.size() > 0 ? joint_numbers(believed, "lower", s.lower)
                               : limits_of(believed, &Limits::lower, -unlimited)),
      to_(s.upper.size() > 0 ? joint_numbers(believed, "upper", s.upper) : limits_of(believed, &Limits::upper)) {
  number_at_least("margin", s.margin, 0);
  from_.array() += s.margin;
  to_.array() -= s.margin;
}

void JointLimitAvoidance::update(const Measurement& y, const Reference&, double, VecX<double>& tau) noexcept {
  tau = VecX<double>::Zero(stiffness_.size());
  status_ = {};
  for (Eigen::Index i = 0; i < tau.size(); ++i) {
    if (y.q[i] > to_[i]) tau[i] = -stiffness_[i] * (y.q[i] - to_[i]);
    if (y.q[i] < from_[i]) tau[i] = -stiffness_[i] * (y.q[i] - from_[i]);
    if (tau[i] != 0) status_ |= Condition::joint_limit;
  }
  part(0) = tau;
}

void NullSpaceSettings::fields(Fields& f) {
  list_inner_law(f, terms);
  list_task(f, rows);
  inverse.fields(f);
}
AnyController NullSpaceSettings::make(const LawContext& in) const {
  return AnyController(NullSpaceTerm(in.arm, inner_law(terms, "null_space", in), *this));
}
ARMATURE_LAW(null_space, NullSpaceSettings)

void SingularityAvoidanceSettings::fields(Fields& f) {
  list_task(f, rows);
  f.number("threshold", threshold, dimension::none, "it acts below this manipulability", Range::positive);
  f.number("gain", gain, dimension::none, "gain of the potential, per squared manipulability", Range::not_negative);
}
ARMATURE_LAW(singularity_avoidance, SingularityAvoidanceSettings, SingularityAvoidance)

void JointLimitAvoidanceSettings::fields(Fields& f) {
  f.joints("kp", stiffness, joint_dimension::stiffness, "stiffness", Range::not_negative, required);
  f.angle("margin", margin, "distance before a limit at which it begins to act", Range::not_negative);
}
ARMATURE_LAW(joint_limit_avoidance, JointLimitAvoidanceSettings, JointLimitAvoidance)

}  // namespace armature::control
