// The laws of a plant within one mode.
#include <algorithm>

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/numerics/ldlt.hpp"
#include "armature/plant/internal/axis_friction_law.hpp"
#include "armature/plant/internal/motor_law.hpp"
#include "armature/plant/internal/spring_law.hpp"
#include "armature/plant/internal/wall_law.hpp"
#include "armature/plant/plant.hpp"

namespace armature::plant {

template <Scalar S>
void Plant::forces(double t, const S* x, const S* u, const Modes& modes, Forces<S>& out) const noexcept {
  const S *y = x, *v = x + axes_;
  const auto mode = [&](int start, std::size_t k) { return static_cast<int>(modes[start + k]); };
  const auto state = [&](int index) { return index < 0 ? nullptr : x + index; };
  const auto rate = [&](int index) { return index < 0 ? nullptr : &out.rate[index - 2 * axes_]; };
  for (std::size_t k = 0; k < d_.motors.size(); ++k)
    if (d_.motors[k].linear)
      act_linear(d_.motors[k], u[k], v, state(linear_state_[k]), rate(linear_state_[k]), out);
    else
      act(d_.motors[k], u[k], v, mode(motor_modes_, k) != 0, state(current_state_[k]), rate(current_state_[k]), out);
  for (std::size_t k = 0; k < d_.springs.size(); ++k)
    act(d_.springs[k], y, v, mode(spring_modes_, k), state(dahl_state_[k]), rate(dahl_state_[k]), out);
  for (std::size_t k = 0; k < d_.friction.size(); ++k)
    act(d_.friction[k], v[d_.friction[k].axis], mode(friction_modes_, k), state(bristle_state_[k]),
        rate(bristle_state_[k]), out);
  for (const Motor& m : d_.motors) rub(m, v, out);
  if (d_.walls.empty() && d_.wrenches.empty()) return;

  const Arm& carried = arm(modes);
  const LinkPoses<S> poses = forward_kinematics<S>(carried, joints_of(y));
  const Mat6X<S> J = tool_jacobian<S>(carried, poses);
  const Vec6<S> V = J.lazyProduct(joints_of(v));
  const Vec3<S> p = tool_pose<S>(carried, poses).p, velocity = V.template head<3>();
  for (std::size_t k = 0; k < d_.wrenches.size(); ++k) {
    if (mode(wrench_modes_, k) == 0) continue;
    const Vec6<double> wrench = d_.wrenches[k].at(t);
    for (int i = 0; i < 6; ++i) {
      out.tool[i] += S(wrench[i]);
      out.supplied += S(wrench[i]) * V[i];
    }
  }
  for (std::size_t k = 0; k < d_.walls.size(); ++k)
    if (mode(wall_modes_, k) != 0) act(d_.walls[k], p, velocity, state(wall_state_[k]), rate(wall_state_[k]), out);
  for (std::size_t j = 0; j < axis_of_body_.size(); ++j) {
    S torque(0);
    for (int i = 0; i < 6; ++i) torque += J(i, j) * out.tool[i];
    out.drive[axis_of_body_[j]] += torque;  // after friction: a contact is not a load of the gear
  }
}

template <Scalar S>
void Plant::accelerations(const S* x, const Modes& modes, Forces<S>& f, S* a, S* held) const noexcept {
  for (int i = dof_; i < dof_ + static_cast<int>(d_.rotors.size()); ++i) {
    const S net = f.drive[i] - f.friction[i];
    held[i] = net;
    a[i] = stuck(i, modes) ? S(0) : net * S(1 / d_.rotors[i - dof_].inertia);
  }
  if (dof_ == 0) return;
  const Arm& carried = arm(modes);
  const VecX<S> q = joints_of(x), qd = joints_of(x + axes_);
  const int bodies = carried.dof();
  const auto axis = [this](int body) { return axis_of_body_[body]; };
  const auto net = [&](int i) { return f.drive[i] - f.friction[i]; };
  const bool may_hold = hybrid() || !d_.locks.empty();  // else no axis needs a look
  if (reflected_inertia_.size() == 0 && !(may_hold && anything_stuck(modes))) {
    VecX<S> tau(bodies), qdd;
    for (int i = 0; i < bodies; ++i) tau[i] = net(axis(i));
    forward_dynamics<S>(carried, q, qd, tau, qdd);
    for (int i = 0; i < bodies; ++i) a[axis(i)] = qdd[i];
    return;
  }
  MatX<S> M = mass_matrix<S>(carried, q);
  if (reflected_inertia_.size() > 0)
    for (int j = 0; j < bodies; ++j)
      for (int i = 0; i < bodies; ++i) M(i, j) += S(reflected_inertia_(i, j));
  const VecX<S> bias = inverse_dynamics<S>(carried, q, qd, VecX<S>::Constant(bodies, S(0)));
  std::array<int, max_joints> free{};
  int n = 0;
  VecX<S> rest(bodies);
  for (int i = 0; i < bodies; ++i) {
    rest[i] = held[axis(i)] = net(axis(i)) - bias[i];
    a[axis(i)] = S(0);
    if (!stuck(axis(i), modes)) free[n++] = i;
  }
  if (n == bodies) {  // M a = r
    ldlt_in_place(M);
    ldlt_solve_in_place(M, rest);
    for (int i = 0; i < bodies; ++i) a[axis(i)] = rest[i];
    return;
  }
  // M_ff a_f = r_f;  the stuck joints hold r_s - M_sf a_f
  MatX<S> Mff(n, n);
  VecX<S> af(n);
  for (int j = 0; j < n; ++j) {
    af[j] = rest[free[j]];
    for (int i = 0; i < n; ++i) Mff(i, j) = M(free[i], free[j]);
  }
  ldlt_in_place(Mff);
  ldlt_solve_in_place(Mff, af);
  for (int j = 0; j < n; ++j) a[axis(free[j])] = af[j];
  for (int i = 0; i < bodies; ++i)
    if (stuck(axis(i), modes))
      for (int j = 0; j < n; ++j) held[axis(i)] -= M(i, free[j]) * af[j];
}

template <Scalar S>
void Plant::derivative(double t, const S* x, const S* u, const Modes& modes, S* xd) const noexcept {
  Forces<S> f(axes_, inner_states());
  std::array<S, max_axes> held;
  forces(t, x, u, modes, f);
  accelerations(x, modes, f, xd + axes_, held.data());
  std::copy_n(x + axes_, axes_, xd);
  for (const int axis : d_.locks) xd[axis] = S(0);
  for (int i = 2 * axes_; i < energy_state_; ++i) xd[i] = f.rate[i - 2 * axes_];
  xd[energy_state_] = f.supplied;
  xd[energy_state_ + 1] = f.dissipated;
}

template void Plant::derivative(double, const double*, const double*, const Modes&, double*) const noexcept;
template void Plant::derivative(double, const Dual*, const Dual*, const Modes&, Dual*) const noexcept;
template void Plant::forces(double, const double*, const double*, const Modes&, Forces<double>&) const noexcept;
template void Plant::accelerations(const double*, const Modes&, Forces<double>&, double*, double*) const noexcept;

double Plant::spring_torque(int k, const double* x, const Modes& modes) const noexcept {
  const Spring& s = d_.springs[k];
  const int side = modes[spring_modes_ + k];
  double torque = dahl_state_[k] >= 0 ? x[dahl_state_[k]] : 0;
  if (s.backlash == 0 || side != 0)
    torque +=
        elastic_torque(s, compression(s, twist<double>(s, x), side)) + s.damping * twist_rate<double>(s, x, x + axes_);
  return torque;
}

double Plant::motor_torque(int k, const double* x, const double* u) const noexcept {
  const Motor& m = d_.motors[k];
  if (m.linear) return linear_torque(m, u[k], motor_speed(m, x + axes_), x + linear_state_[k]);
  if (m.command == Motor::Command::torque) return clamped(u[k], m.torque_limit);
  if (current_state_[k] >= 0) return m.torque_constant * x[current_state_[k]];
  return m.torque_constant * MotorCurrent<double>(m, u[k], motor_speed(m, x + axes_)).value();
}

VecX<double> Plant::drive_torque(const double* x, const double* u, const Modes& modes) const noexcept {
  VecX<double> tau = VecX<double>::Zero(dof_);
  for (int k = 0; k < inputs(); ++k) {
    const double torque = motor_torque(k, x, u);
    for (const auto& [axis, factor] : d_.motors[k].drives)
      if (axis < dof_) tau[axis] += factor * torque;
  }
  for (std::size_t k = 0; k < d_.springs.size(); ++k) {
    const Spring& spring = d_.springs[k];
    if (spring.is_end_stop()) continue;
    const double torque = spring_torque(static_cast<int>(k), x, modes);
    if (spring.driven != ground && spring.driven < dof_) tau[spring.driven] += torque;
    for (const auto& [axis, factor] : spring.coupled)
      if (axis < dof_) tau[axis] += factor * torque;
  }
  return tau;
}

Vec6<double> Plant::tool_wrench(double t, const double* x, const Modes& modes) const noexcept {
  std::array<double, max_axes> u{};  // motors do not touch the tool
  Forces<double> f(axes_, inner_states());
  forces(t, x, u.data(), modes, f);
  return f.tool;
}

PlantOutputs Plant::outputs(double t, const double* x, const double* u, const Modes& modes) const noexcept {
  PlantOutputs out;
  LinkPoses<double> poses;
  if (dof_ > 0) {
    forward_kinematics<double>(arm(modes), joints_of(x), poses);
    out.X_WT = tool_pose(arm(modes), poses);
  }
  out.stored = stored_energy(x, poses, modes);
  Forces<double> f(axes_, inner_states());
  std::array<double, max_axes> a, held;
  forces(t, x, u, modes, f);
  if (anything_stuck(modes)) accelerations(x, modes, f, a.data(), held.data());
  out.wrench = f.tool;
  out.friction.resize(dof_);
  for (int i = 0; i < dof_; ++i) out.friction[i] = stuck(i, modes) ? held[i] : f.friction[i];
  return out;
}

}  // namespace armature::plant
