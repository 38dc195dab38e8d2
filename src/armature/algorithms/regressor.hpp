// The dynamics are linear in the inertial parameters: matrices that multiply them.
#pragma once

#include <optional>

#include "armature/model/arm.hpp"

namespace armature::algorithms {

inline constexpr int parameters_per_link = 10;
inline constexpr int friction_parameters_per_joint = 3;

/// Inertial parameters of all moving links, ten each: m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz (docs/notation.md).
template <Scalar S>
using LinkParameters = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, parameters_per_link * max_joints, 1>;
/// One row per joint, ten columns per link.
template <Scalar S>
using Regressor = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, max_joints, parameters_per_link * max_joints>;
/// One number for each inertial parameter.
template <Scalar S>
using RegressorRow = Eigen::Matrix<S, 1, Eigen::Dynamic, Eigen::RowMajor, 1, parameters_per_link * max_joints>;

/// The parameters of the arm's bodies, each in the link frame L of the link that its joint moves, as described (standard
/// DH: the distal frame) and about that frame's origin. What is welded to the link is part of it.
LinkParameters<double> link_parameters(const Arm& arm);

/// W with W(q, qd, qdd) p = tau, less what the springs of the joints take [Atkeson1986]. O(n²); allocates nothing.
template <Scalar S>
void torque_regressor(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd, Regressor<S>& W);

template <Scalar S>
Regressor<S> torque_regressor(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd) {
  Regressor<S> W;
  torque_regressor(arm, q, qd, qdd, W);
  return W;
}

/// T with p_L = T p_T: the parameters in the last link's frame L of a body that the tool carries, from those in the tool's frame T. The
/// torques that such a body asks for are the last ten columns of torque_regressor, times T p_T.
Eigen::Matrix<double, parameters_per_link, parameters_per_link> tool_to_link(const Arm& arm);

/// Rows with kinetic·p and potential·p the energies. They need no acceleration.
template <Scalar S>
struct EnergyRegressor {
  RegressorRow<S> kinetic;
  RegressorRow<S> potential;
};
template <Scalar S>
EnergyRegressor<S> energy_regressor(const Arm& arm, const VecX<S>& q, const VecX<S>& qd);

/// Friction that is linear in its parameters: three columns per joint, for coulomb sgn(qd) + viscous qd + offset.
template <Scalar S>
using FrictionRegressor =
    Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, max_joints, friction_parameters_per_joint * max_joints>;
using FrictionParameters = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, friction_parameters_per_joint * max_joints, 1>;
/// With sgn(0) = 0.
FrictionRegressor<double> friction_regressor(const VecX<double>& qd);
/// With sgn smoothed to tanh(qd/width), for any number.
template <Scalar S>
FrictionRegressor<S> smooth_friction_regressor(const VecX<S>& qd, double width);
/// The arm's own, if the law of every joint has this form.
std::optional<FrictionParameters> friction_parameters(const Arm& arm);

/// Columns for the rotor inertias [kg m²], at the motors' shafts: D(qdd) J = the torques that accelerate the rotors,
/// through gears and couplings (algorithms/drive.hpp).
template <Scalar S>
MatX<S> rotor_regressor(const Arm& arm, const VecX<S>& qdd);

}  // namespace armature::algorithms
