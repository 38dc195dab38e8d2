#include "armature/algorithms/motor_commands.hpp"

#include <fmt/format.h>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

double stated(const std::optional<double>& value, const Arm& arm, int motor, const char* what) {
  if (value && *value > 0) return *value;
  throw ModelError(
      fmt::format("joint '{}', drive: it states no {}", arm.joint(motor).name, what),
      "motors are fed with what their windings take: give drive.torque_constant, and drive.resistance for voltages");
}

}  // namespace

MotorWindings motor_windings(const Arm& arm, MotorFeed feed) {
  const int n = arm.dof();
  MotorWindings w;
  w.resistance = VecX<double>::Zero(n);
  MatX<double> torque_per_current(n, n), emf(n, n);
  for (int k = 0; k < n; ++k) {
    const Drive& d = arm.joint(k).drive;
    const double N = d.gear_ratio.value_or(1), constant = stated(d.torque_constant, arm, k, "torque constant");
    w.resistance[k] =
        feed == MotorFeed::voltage ? stated(d.resistance, arm, k, "resistance") : d.resistance.value_or(0);
    torque_per_current.col(k) = arm.couplings().row(k).transpose() * (N * constant);
    emf.row(k) = arm.couplings().row(k) * (N * d.back_emf.value_or(constant));
  }
  w.current_per_torque = inverse(Eigen::MatrixXd(torque_per_current));
  w.emf_per_speed = emf;
  return w;
}

template <Scalar S>
VecX<S> motor_commands_for(const Arm& arm, const MotorWindings& w, MotorFeed feed, const VecX<S>& rigid_torque,
                           const VecX<S>& qd, const VecX<S>& qdd) {
  const VecX<S> load = rigid_torque + rotor_torque<S>(arm, qdd), tau = load + smooth_friction<S>(arm, qd, load);
  const VecX<S> current = w.current_per_torque.template cast<S>().lazyProduct(tau);
  if (feed == MotorFeed::current) return current;
  const VecX<S> emf = w.emf_per_speed.template cast<S>().lazyProduct(qd);
  return w.resistance.template cast<S>().cwiseProduct(current) + emf;
}

template <Scalar S>
VecX<S> motor_commands(const Arm& arm, const MotorWindings& windings, MotorFeed feed, const VecX<S>& q,
                       const VecX<S>& qd, const VecX<S>& qdd) {
  return motor_commands_for<S>(arm, windings, feed, inverse_dynamics<S>(arm, q, qd, qdd), qd, qdd);
}

MatX<double> back_emf_damping(const Arm& arm) {
  const MotorWindings w = motor_windings(arm, MotorFeed::voltage);
  const MatX<double> torque_per_current = inverse(Eigen::MatrixXd(w.current_per_torque));
  return torque_per_current * w.resistance.cwiseInverse().asDiagonal() * w.emf_per_speed;
}

#define ARMATURE_INSTANTIATE(S)                                                                                    \
  template VecX<S> motor_commands(const Arm&, const MotorWindings&, MotorFeed, const VecX<S>&, const VecX<S>&,     \
                                  const VecX<S>&);                                                                 \
  template VecX<S> motor_commands_for(const Arm&, const MotorWindings&, MotorFeed, const VecX<S>&, const VecX<S>&, \
                                      const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
