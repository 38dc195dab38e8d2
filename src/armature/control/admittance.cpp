#include "armature/control/admittance.hpp"

#include "armature/control/internal/finite_state.hpp"
#include "armature/control/internal/force_parts.hpp"
#include "armature/core/error.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::control {

Admittance::Admittance(Arm believed, const AdmittanceSettings& s)
    : Law({.tool_reference = true, .wrench = true}, motion_and_force_parts(believed.dof(), s.dynamics.task)),
      dynamics_(std::move(believed), s.dynamics),
      frame_mass_(task_masses(s.dynamics.task, s.frame_mass)),
      frame_kd_(task_gains(s.dynamics.task, "frame_kd", s.frame_kd)),
      frame_kp_(task_gains(s.dynamics.task, "frame_kp", s.frame_kp)),
      mass_(task_masses(s.dynamics.task, s.mass)),
      kd_(task_gains(s.dynamics.task, "kd", s.kd)),
      kp_(task_gains(s.dynamics.task, "kp", s.kp)) {
  if (s.dynamics.task.euler())
    throw Error("admittance control works in world axes", "choose quaternion or rotation_vector");
  z_ = zd_ = zdd_ = TaskVector<double>::Zero(s.dynamics.task.rows.count);
  parts_.push_back({"frame_lag", s.dynamics.task.rows.count > 3 ? "m, rad" : "m", z_});
}

void Admittance::reset(const Measurement&) {
  z_.setZero();
  zd_.setZero();
  zdd_.setZero();
  status_ = {};
}

//  Backward Euler of the frame: zd' = (zd + dt/M (h - K_P z)) / (1 + dt K_D/M + dt² K_P/M),  z' = z + dt zd'; stable for every dt.
void Admittance::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  const TaskRows& rows = dynamics_.task().rows;
  for (Eigen::Index i = 0; i < z_.size(); ++i) {
    const double h_e = -y.wrench[rows.row[i]];
    const double m = frame_mass_[i];
    if (dt > 0) {
      const double before = zd_[i];
      advance(zd_[i], (before + dt / m * (h_e - frame_kp_[i] * z_[i])) /
                          (1 + dt * frame_kd_[i] / m + dt * dt * frame_kp_[i] / m));
      zdd_[i] = (zd_[i] - before) / dt;
      z_[i] += dt * zd_[i];
    } else {
      zdd_[i] = (h_e - frame_kd_[i] * zd_[i] - frame_kp_[i] * z_[i]) / m;
    }
  }
  compliant_ = r;
  Vec6<double> z = Vec6<double>::Zero(), zd = z, zdd = z;
  for (int i = 0; i < rows.count; ++i) {
    const int row = rows.row[i];
    z[row] = z_[i];
    zd[row] = zd_[i];
    zdd[row] = zdd_[i];
  }
  compliant_.X_WT.p -= z.head<3>();
  compliant_.X_WT.R = exp_map(-z.tail<3>()) * r.X_WT.R;
  compliant_.twist -= zd;
  compliant_.acceleration -= zdd;

  dynamics_.observe(y, compliant_);
  const TaskState& x = dynamics_.state();
  const TaskVector<double> a =
      x.acceleration + (kd_.cwiseProduct(x.rate_error) + kp_.cwiseProduct(x.error)).cwiseQuotient(mass_);
  part(force_part) = -x.J_tool.transpose() * y.wrench;  // Jᵀ h_e
  report(dynamics_.torques(y, a), x.error, parts_, tau);
  part(6) = z_;
  status_ = dynamics_.status();
}

void AdmittanceSettings::fields(Fields& f) {
  list_task(f, dynamics.task.rows);
  dynamics.list_inverse(f);
  list_tool_dynamics(f, dynamics.task.rows, mass, kd, kp);
  f.task("frame_mass", frame_mass, task_dimension::inertia, axes_of(dynamics.task.rows), "mass of the compliant frame",
         Range::positive);
  f.task("frame_kd", frame_kd, task_dimension::damping, axes_of(dynamics.task.rows), "damping of the compliant frame",
         Range::not_negative, required);
  f.task("frame_kp", frame_kp, task_dimension::stiffness, axes_of(dynamics.task.rows),
         "stiffness of the compliant frame", Range::not_negative, required);
}
ARMATURE_LAW(admittance, AdmittanceSettings, Admittance)

}  // namespace armature::control
