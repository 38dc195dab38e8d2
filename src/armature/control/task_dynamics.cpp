#include "armature/control/task_dynamics.hpp"

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

TaskDynamics::TaskDynamics(Arm believed, const TaskDynamicsSettings& s) : believed_(std::move(believed)), settings_(s) {
  number_at_least("null_damping", s.null_damping, 0);
  number_at_least("threshold", s.inverse.threshold, 0);
  number_at_least("damping", s.inverse.damping, 0);
}

void TaskDynamics::observe(const Measurement& y, const Reference& r) noexcept {
  task_state(believed_, settings_.task, y.q, y.qd, r, state_);
  const bool weighted = settings_.inverse.weighting == Projector::dynamically_consistent;
  inverse_ = task_inverse(state_.J, weighted ? mass_matrix<double>(believed_, y.q) : MatX<double>(), settings_.inverse);
  status_ = {};
  if (inverse_.singular) status_ |= Condition::singular;
  if (state_.representation_lost) status_ |= Condition::representation;
}

const TermTorques& TaskDynamics::torques(const Measurement& y, const TaskVector<double>& a) noexcept {
  VecX<double> qdd = inverse_.inverse * TaskVector<double>(a - state_.Jd_qd);
  if (settings_.null_damping > 0)
    qdd -= settings_.null_damping * (y.qd - inverse_.inverse * TaskVector<double>(state_.J * y.qd));
  term_torques(believed_, settings_.terms, y.q, y.qd, qdd, torques_);
  if (!settings_.terms.inertia) torques_.inertia += qdd;
  return torques_;
}

void TaskDynamicsSettings::list_inverse(Fields& f) {
  f.number("null_damping", null_damping, dimension::rate, "damping of motions that the task leaves free",
           Range::not_negative);
  inverse.fields(f);
}

}  // namespace armature::control
