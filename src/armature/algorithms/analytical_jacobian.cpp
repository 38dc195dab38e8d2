#include "armature/algorithms/analytical_jacobian.hpp"

#include <concepts>

#include "armature/algorithms/internal/inertia_as.hpp"
#include "armature/scalar/scalars.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::algorithms {

//  Both conventions turn the tool about the world's z, tilt it about a horizontal axis and spin it about an axis of its
//  own, e = (x, y, z) in the world: its z axis for ZYZ = (turn, tilt, spin), its x axis for RPY = (spin, tilt, turn).
//  The rates that make up an angular velocity w, with r = √(x² + y²), are
//     spin = (x, y, 0)·w / r²,   tilt = (-y, x, 0)·w / r,   turn = w_z - z spin                       (1)
//  which is E⁻¹ w of [Siciliano2009, (3.64)]. Along a motion ed = w × e and rd = (x xd + y yd)/r, so
//     d(spin row) = ((xd, yd, 0) - 2 (rd/r) (x, y, 0)) / r²                                           (2)
//     d(tilt row) = ((-yd, xd, 0) - (rd/r) (-y, x, 0)) / r                                            (3)
//     d(turn row) = -zd (spin row) - z d(spin row)                                                    (4)
namespace {

template <Scalar S>
struct RateRows {
  Vec3<S> spin, tilt, turn;

  /// In the convention's order.
  [[nodiscard]] Mat3<S> matrix(EulerConvention convention) const {
    const bool zyz = convention == EulerConvention::zyz;
    Mat3<S> B;
    B.row(0) = (zyz ? turn : spin).transpose();
    B.row(1) = tilt.transpose();
    B.row(2) = (zyz ? spin : turn).transpose();
    return B;
  }
};

template <Scalar S>
Vec3<S> own_axis(const Mat3<S>& R, EulerConvention convention) {
  return R.col(convention == EulerConvention::zyz ? 2 : 0);
}

template <Scalar S>
S distance_from_singularity(const Vec3<S>& e) {
  return sqrt(e[0] * e[0] + e[1] * e[1]);
}

template <Scalar S>
RateRows<S> rate_rows(const Vec3<S>& e) {
  const S zero(0), r = distance_from_singularity<S>(e), c = e[0] / r, s = e[1] / r;
  const Vec3<S> spin(c / r, s / r, zero);  // (1)
  return {spin, Vec3<S>(-s, c, zero), Vec3<S>(-e[2] * spin[0], -e[2] * spin[1], S(1))};
}

template <Scalar S>
RateRows<S> rate_rows_change(const Vec3<S>& e, const Vec3<S>& ed) {
  const S zero(0), r = distance_from_singularity<S>(e), reciprocal = S(1) / r;
  const S c = e[0] * reciprocal, s = e[1] * reciprocal;
  const S cd = ed[0] * reciprocal, sd = ed[1] * reciprocal, rd = c * cd + s * sd;  // the last is rd/r
  const Vec3<S> spin(c * reciprocal, s * reciprocal, zero);
  const Vec3<S> d_spin((cd - (rd + rd) * c) * reciprocal, (sd - (rd + rd) * s) * reciprocal, zero);  // (2)
  const Vec3<S> d_tilt(rd * s - sd, cd - rd * c, zero);                                              // (3)
  return {d_spin, d_tilt, Vec3<S>(-(spin * ed[2] + d_spin * e[2]))};                                 // (4)
}

template <Scalar S>
Vec3<S> angles(const Mat3<S>& R, EulerConvention convention) {
  const Vec3<S> e = own_axis<S>(R, convention);
  const S r = distance_from_singularity<S>(e);
  if (convention == EulerConvention::zyz) return {atan2(R(1, 2), R(0, 2)), atan2(r, R(2, 2)), atan2(R(2, 1), -R(2, 0))};
  return {atan2(R(2, 1), R(2, 2)), atan2(-R(2, 0), r), atan2(R(1, 0), R(0, 0))};
}

EulerAngles decided(const Mat3<double>& R, EulerConvention convention) {
  return convention == EulerConvention::zyz ? zyz_from_rotation(R) : rpy_from_rotation(R);
}

}  // namespace

template <Scalar S>
AnalyticalJacobian<S> analytical_jacobian(const Arm& arm, const LinkPoses<S>& poses, EulerConvention convention) {
  const Pose<S> X_WT = tool_pose(arm, poses);
  const Vec3<S> e = own_axis<S>(X_WT.R, convention);
  AnalyticalJacobian<S> result{{}, tool_jacobian(arm, poses), distance_from_singularity<S>(e)};
  result.x.template head<3>() = X_WT.p;
  auto turning = result.J.template bottomRows<3>();
  if constexpr (std::same_as<S, double>) {
    const EulerAngles found = decided(X_WT.R, convention);
    result.x.template tail<3>() = found.angles;
    result.singular = found.singular;
    if (found.singular) {
      turning.setZero();
      return result;
    }
  } else {
    result.x.template tail<3>() = angles<S>(X_WT.R, convention);
  }
  const Mat3<S> B = rate_rows<S>(e).matrix(convention);
  for (int i = 0; i < arm.dof(); ++i) turning.col(i) = Vec3<S>(B * Vec3<S>(turning.col(i)));
  return result;
}

template <Scalar S>
AnalyticalJacobianRate<S> analytical_jacobian_rate(const Arm& arm, const LinkPoses<S>& poses, const VecX<S>& qd,
                                                   EulerConvention convention) {
  const Mat3<S> R = tool_pose(arm, poses).R;
  AnalyticalJacobianRate<S> result{tool_jacobian_rate<S>(arm, poses, qd)};
  auto turning = result.Jd.template bottomRows<3>();
  if constexpr (std::same_as<S, double>) {
    result.singular = decided(R, convention).singular;
    if (result.singular) {
      turning.setZero();
      return result;
    }
  }
  const Mat6X<S> J = tool_jacobian(arm, poses);
  Vec3<S> w = Vec3<S>::Constant(S(0));
  for (int i = 0; i < arm.dof(); ++i) w += J.col(i).template tail<3>() * qd[i];
  const Vec3<S> e = own_axis<S>(R, convention);
  const Mat3<S> B = rate_rows<S>(e).matrix(convention);
  const Mat3<S> Bd = rate_rows_change<S>(e, cross<S>(w, e)).matrix(convention);
  for (int i = 0; i < arm.dof(); ++i)
    turning.col(i) = Vec3<S>(B * Vec3<S>(turning.col(i)) + Bd * Vec3<S>(J.col(i).template tail<3>()));
  return result;
}

#define ARMATURE_INSTANTIATE(S)                                                                                \
  template AnalyticalJacobian<S> analytical_jacobian(const Arm&, const LinkPoses<S>&, EulerConvention);        \
  template AnalyticalJacobianRate<S> analytical_jacobian_rate(const Arm&, const LinkPoses<S>&, const VecX<S>&, \
                                                              EulerConvention);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
