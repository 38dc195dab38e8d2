#include "armature/control/cartesian_impedance.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/control/task_inverse.hpp"
#include "armature/control/task_space.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::control {

CartesianImpedance::CartesianImpedance(Arm believed, const CartesianImpedanceSettings& s)
    : Law({.tool_reference = true}, torque_parts(believed.dof(), {"spring", "damper", "gravity", "coriolis"})),
      believed_(std::move(believed)),
      settings_(s) {
  settings_.stiffness = task_gains(TaskCoordinates::pose(), "stiffness", s.stiffness);
  if (s.damping.size() > 0) settings_.damping = task_gains(TaskCoordinates::pose(), "damping", s.damping);
  number_at_least("zeta", s.zeta, 0);
  parts_.push_back({"task_error", "m, rad", VecX<double>::Zero(6)});
}

void CartesianImpedance::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  const LinkPoses<double> poses = forward_kinematics<double>(believed_, y.q);
  const Pose<double> X = tool_pose<double>(believed_, poses);
  const Mat6X<double> J = tool_jacobian<double>(believed_, poses);
  const Mat3<double> R_T = X.R.transpose();
  const Quaternion turn = quaternion_from_rotation(R_T * r.X_WT.R);  // tool to target, in the tool's axes
  const Vec3<double> epsilon = turn.tail<3>();
  error_.head<3>() = R_T * (X.p - r.X_WT.p);
  error_.tail<3>() = -2 * epsilon;

  const Mat3<double> E = turn[0] * Mat3<double>::Identity() - skew<double>(epsilon);
  J_.resize(6, J.cols());
  J_.bottomRows<3>() = E * (R_T * J.bottomRows<3>());
  J_.topRows<3>() = R_T * J.topRows<3>() + skew<double>(error_.head<3>()) * (R_T * J.bottomRows<3>());
  Vec6<double> target;  // what the target's own motion adds to x~d
  target.head<3>() = R_T * r.twist.head<3>();
  target.tail<3>() = E * (R_T * r.twist.tail<3>());
  const Vec6<double> rate = J_ * y.qd - target;

  part(0) = -J_.transpose() * settings_.stiffness.cwiseProduct(error_);
  if (settings_.damping.size() > 0) {
    part(1) = -J_.transpose() * settings_.damping.cwiseProduct(rate);
  } else {
    const MatX<double> M = mass_matrix<double>(believed_, y.q);
    if (settings_.design == DampingDesign::double_diagonal) {
      const TaskSquare<double> D = task_damping(J_, M, settings_.stiffness, settings_.zeta);
      part(1) = -J_.transpose() * TaskVector<double>(D.lazyProduct(rate));
    } else {
      const TaskInverseResult inverse = task_inverse(J_, M, {});  // Λ = (J M⁻¹ Jᵀ)⁺ = J̄ᵀ M J̄
      MatX<double> Lambda, K = MatX<double>::Zero(6, 6);
      const TaskInverse<double> MJ = M.lazyProduct(inverse.inverse);
      Lambda = inverse.inverse.transpose().lazyProduct(MJ);
      K.diagonal() = settings_.stiffness;
      const MatX<double> D = damping_matrix(Lambda, K, settings_.zeta, DampingDesign::square_roots);
      part(1) = -J_.transpose() * (D * rate);
    }
  }
  part(2) = part(3) = VecX<double>::Zero(believed_.dof());
  if (settings_.gravity) part(2) = gravity_torque<double>(believed_, y.q);
  if (settings_.coriolis) part(3) = coriolis_torque<double>(believed_, y.q, y.qd);
  part(4) = error_;
  status_ =
      turn[0] < 1e-3 ? Status(Condition::representation) : Status();  // at the half turn the way back is not unique
  tau = part(0) + part(1) + part(2) + part(3);
}

void CartesianImpedanceSettings::fields(Fields& f) {
  list_damping_ratio(f, zeta);
  list_damping_design(f, design);
  f.flag("gravity", gravity, "gravity is compensated");
  f.task("kp", stiffness, task_dimension::stiffness, axes_of(TaskRows::full()),
         "stiffness along and about the tool's axes", Range::not_negative, required);
  f.task("kd", damping, task_dimension::damping, axes_of(TaskRows::full()), "damping (default: designed for zeta)",
         Range::not_negative);
  f.flag("compensate_coriolis", coriolis, "Coriolis and centripetal torques are compensated");
}
ARMATURE_LAW(cartesian_impedance, CartesianImpedanceSettings, CartesianImpedance)

}  // namespace armature::control
