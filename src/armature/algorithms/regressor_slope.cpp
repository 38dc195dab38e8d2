#include "armature/algorithms/regressor_slope.hpp"

#include <array>

#include "armature/algorithms/internal/composite_moments.hpp"

namespace armature::algorithms {

//  Row i of W times the weights λ_i is the torque of joint i of an arm with the inertial parameters λ_i. Its derivatives are row i of those of inverse
//  dynamics, (5) to (7) of derivatives.cpp, where only the bodies behind joint i count; motions and velocity fields are the same for all rows.
RegressorSlope regressor_slope(const Arm& arm, const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd,
                               const Eigen::Ref<const Eigen::MatrixXd>& weights) {
  const int n = arm.dof();
  const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
  const Vec3<double> origin = poses.X_WB[0].p, zero = Vec3<double>::Zero();
  std::array<Twist<double>, max_joints> Q, Qd, Qdd, V, Vd;
  std::array<Pose<double>, max_joints> X;
  Twist<double> V_P{zero, zero}, Vd_P{-arm.gravity(), zero};
  for (int j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    X[k] = {poses.X_WB[k].R, poses.X_WB[k].p - origin};
    Q[k] = joint_twist<double>(arm.body(j), poses.X_WB[k], origin);
    Qd[k] = commutator<double>(V_P, Q[k]);
    Qdd[k] = commutator<double>(Vd_P, Q[k]) + commutator<double>(V_P, Qd[k]);
    V[k] = V_P = V_P + Q[k] * qd[j];
    Vd[k] = Vd_P = Vd_P + Q[k] * qdd[j] + Qd[k] * qd[j];
  }
  RegressorSlope slope{VecX<double>::Zero(n), VecX<double>::Zero(n), VecX<double>::Zero(n)};
  for (int i = 0; i < n; ++i) {
    const auto own = static_cast<std::size_t>(i);
    CompositeMoments<double> moments;
    Wrench<double> F{zero, zero}, row{zero, zero};
    for (int m = n - 1; m >= i; --m) {
      const auto k = static_cast<std::size_t>(m);
      const InertiaParameters<double> p =
          weights.row(i).segment<parameters_per_link>(parameters_per_link * m).transpose();
      const Inertia<double> inertia =
          seen_from<double>(X[k], seen_from<double>(arm.body(m).X_BL, inertia_from_parameters<double>(p)));
      F = force_on<double>(inertia, V[k], Vd[k]) + F;
      moments.add(inertia, V[k]);
      row = momentum<double>(Q[k], moments);
      Wrench<double> column_q = momentum<double>(Qdd[k], moments) + momentum_turned<double>(Qd[k].w, moments) * 2.0;
      if (m > i) column_q = column_q + carried<double>(Q[k], F);
      slope.qdd[m] += power<double>(Q[own], row);
      slope.qd[m] +=
          power<double>(Q[own], (momentum<double>(Qd[k], moments) + momentum_turned<double>(Q[k].w, moments)) * 2.0);
      slope.q[m] += power<double>(Q[own], column_q);
    }
    const Wrench<double> row_turned{zero, momentum_turned_back<double>(Q[own], moments) * 2.0};
    for (std::size_t before = 0; before < own; ++before) {
      const auto j = static_cast<Eigen::Index>(before);
      slope.qdd[j] += power<double>(Q[before], row);
      slope.qd[j] += power<double>(Qd[before], row) * 2.0 + power<double>(Q[before], row_turned);
      slope.q[j] += power<double>(Qdd[before], row) + power<double>(Qd[before], row_turned);
    }
  }
  return slope;
}

}  // namespace armature::algorithms
