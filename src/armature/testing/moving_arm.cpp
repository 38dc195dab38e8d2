#include "armature/testing/moving_arm.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::testing {

MovingArm::MovingArm(Arm true_arm, const VecX<double>& position, bool with_friction)
    : arm(std::move(true_arm)), q(position), qd(VecX<double>::Zero(position.size())), friction_(with_friction) {}

void MovingArm::rate(double at, const VecX<double>& position, const VecX<double>& speed, const VecX<double>& tau,
                     VecX<double>& qdd) const {
  VecX<double> net = tau;
  if (wrench) {
    const LinkPoses<double> poses = forward_kinematics<double>(arm, position);
    const Mat6X<double> J = tool_jacobian<double>(arm, poses);
    const Vec6<double> twist = J * speed;
    net += J.transpose() * wrench(at, tool_pose<double>(arm, poses), twist);
  }
  if (extra.size() > 0) net += extra;
  if (friction_) net -= smooth_friction<double>(arm, speed, tau);
  forward_dynamics(arm, position, speed, net, qdd);
}

void MovingArm::step(double h, const Torque& torque) {
  const int n = arm.dof();
  VecX<double> tau = VecX<double>::Zero(n);
  const auto slope = [&](double at, const VecX<double>& x, const VecX<double>& v) {
    VecX<double> a;
    torque(at, x, v, tau);
    rate(at, x, v, tau, a);
    return a;
  };
  const VecX<double> v1 = qd, a1 = slope(t, q, v1);
  const VecX<double> v2 = qd + h / 2 * a1, a2 = slope(t + h / 2, q + h / 2 * v1, v2);
  const VecX<double> v3 = qd + h / 2 * a2, a3 = slope(t + h / 2, q + h / 2 * v2, v3);
  const VecX<double> v4 = qd + h * a3, a4 = slope(t + h, q + h * v3, v4);
  q += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
  qd += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  t += h;
}

void MovingArm::step(double h, const VecX<double>& held) {
  step(h, [&](double, const VecX<double>&, const VecX<double>&, VecX<double>& tau) { tau = held; });
}

Pose<double> MovingArm::tool() const { return tool_pose<double>(arm, forward_kinematics<double>(arm, q)); }
Vec6<double> MovingArm::tool_twist() const {
  return tool_jacobian<double>(arm, forward_kinematics<double>(arm, q)) * qd;
}
Vec6<double> MovingArm::tool_wrench(const VecX<double>& position, const VecX<double>& speed) const {
  if (!wrench) return Vec6<double>::Zero();
  const LinkPoses<double> poses = forward_kinematics<double>(arm, position);
  return wrench(t, tool_pose<double>(arm, poses), tool_jacobian<double>(arm, poses) * speed);
}
VecX<double> MovingArm::acceleration(const VecX<double>& tau) const {
  VecX<double> qdd;
  rate(t, q, qd, tau, qdd);
  return qdd;
}

std::vector<std::complex<double>> closed_loop_poles(const MovingArm& plant, const MovingArm::Torque& torque) {
  const int n = plant.arm.dof();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  const double h = 1e-5;
  VecX<double> tau = VecX<double>::Zero(n);
  for (int k = 0; k < 2 * n; ++k) {
    VecX<double> a[2];
    for (int side = 0; side < 2; ++side) {
      MovingArm moved = plant;
      moved.qd.setZero();
      (k < n ? moved.q[k] : moved.qd[k - n]) += side == 0 ? h : -h;
      torque(plant.t, moved.q, moved.qd, tau);
      a[side] = moved.acceleration(tau);
    }
    A.block(n, k, n, 1) = (a[0] - a[1]) / (2 * h);
    if (k >= n) A(k - n, k) = 1;
  }
  const Eigen::VectorXcd values = eigenvalues(A);
  std::vector<std::complex<double>> poles(values.begin(), values.end());
  std::ranges::sort(poles, [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  return poles;
}

}  // namespace armature::testing
