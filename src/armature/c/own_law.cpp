#include <cmath>

#include "armature/c/internal/law.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::c {

OwnLaw::OwnLaw(const armature_own_law& law, int dof, std::shared_ptr<OwnLawFate> fate)
    : law_(law), dof_(dof), fate_(std::move(fate)) {}

void OwnLaw::fail(int bad_joint) noexcept {
  if (bad_joint < 0) fate_->gave_up = true;
  if (fate_->bad_joint < 0) fate_->bad_joint = bad_joint;
  *fate_->stop = true;
}

void OwnLaw::reset(const Measurement& y) {
  armature_tick tick{};
  tick.dof = static_cast<size_t>(dof_);
  tick.q = y.q.data();
  tick.qd = y.qd.data();
  if (law_.reset && law_.reset(law_.user, &tick) != 0) fail(-1);
}

void OwnLaw::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  tau = VecX<double>::Zero(dof_);
  if (fate_->gave_up || fate_->bad_joint >= 0) return;
  double pose[7] = {};
  armature_tick tick{};
  tick.dof = static_cast<size_t>(dof_);
  tick.dt = dt;
  tick.q = y.q.data();
  tick.qd = y.qd.data();
  tick.wrench = y.wrench.data();
  if (y.torque.size() == dof_) tick.torque = y.torque.data();
  if (r.q.size() == dof_) {
    tick.q_ref = r.q.data();
    tick.qd_ref = r.qd.data();
    tick.qdd_ref = r.qdd.data();
  }
  if (law_.needs_tool) {
    for (int i = 0; i < 3; ++i) pose[i] = r.X_WT.p[i];
    const auto quaternion = quaternion_from_rotation(r.X_WT.R);
    for (int i = 0; i < 4; ++i) pose[3 + i] = quaternion[i];
    tick.tool_ref = pose;
    tick.twist_ref = r.twist.data();
    tick.acceleration_ref = r.acceleration.data();
    tick.wrench_ref = r.wrench.data();
  }
  if (law_.update(law_.user, &tick, tau.data()) != 0) {
    fail(-1);
    tau.setZero();
  }
  for (int i = 0; i < dof_; ++i)
    if (!std::isfinite(tau[i])) {
      fail(i);
      tau.setZero();
    }
}

Needs OwnLaw::needs() const noexcept { return {.joint_reference = true, .tool_reference = law_.needs_tool != 0}; }

}  // namespace armature::c
