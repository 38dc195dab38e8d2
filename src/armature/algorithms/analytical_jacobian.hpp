// How position and Euler angles of the tool change with the joints.
#pragma once

#include "armature/algorithms/jacobian.hpp"

namespace armature::algorithms {

/// Which angles describe the tool's orientation (spatial/rotation.hpp): R = Rz(phi) Ry(theta) Rz(psi), or
/// R = Rz(yaw) Ry(pitch) Rx(roll) written (roll, pitch, yaw).
enum class EulerConvention { zyz, rpy };

/// x = (position; angles) and xd = J qd.
///
/// The angles are singular where sin(theta), respectively cos(pitch), vanishes: two of them then act about one axis and
/// their rates are not determined. For double this is decided as in spatial/rotation.hpp and said by `singular`; the
/// angles' rows of J are then zero. Other numbers decide nothing: they divide by `distance`.
template <Scalar S>
struct AnalyticalJacobian {
  Vec6<S> x;   // [m; rad]
  Mat6X<S> J;  // rows 0 to 2 position, 3 to 5 angles
  S distance;  // from the singularity: sin(theta) or cos(pitch), not negative
  bool singular = false;
};
template <Scalar S>
AnalyticalJacobian<S> analytical_jacobian(const Arm& arm, const LinkPoses<S>& poses, EulerConvention convention);

/// xdd = J qdd + Jd qd.
template <Scalar S>
struct AnalyticalJacobianRate {
  Mat6X<S> Jd;  // its angles' rows are zero where `singular`
  bool singular = false;
};
template <Scalar S>
AnalyticalJacobianRate<S> analytical_jacobian_rate(const Arm& arm, const LinkPoses<S>& poses, const VecX<S>& qd,
                                                   EulerConvention convention);

}  // namespace armature::algorithms
