#include "armature/algorithms/regressor.hpp"

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/internal/inertia_as.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

/// What multiplies Ixx, Ixy, Iyy, Ixz, Iyz, Izz in aᵀ I b.
template <Scalar S>
Eigen::Matrix<S, 6, 1> moments_between(const Vec3<S>& a, const Vec3<S>& b) {
  Eigen::Matrix<S, 6, 1> c;
  c << a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1], a[0] * b[2] + a[2] * b[0], a[1] * b[2] + a[2] * b[1],
      a[2] * b[2];
  return c;
}

template <Scalar S>
S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

LinkParameters<double> link_parameters(const Arm& arm) {
  LinkParameters<double> p(parameters_per_link * arm.dof());
  for (int i = 0; i < arm.dof(); ++i)
    p.segment<parameters_per_link>(parameters_per_link * i) =
        parameters(seen_from<double>(arm.body(i).X_BL.inverse(), arm.body(i).inertia));
  return p;
}

Eigen::Matrix<double, parameters_per_link, parameters_per_link> tool_to_link(const Arm& arm) {
  const Pose<double> X_LT = arm.body(arm.dof() - 1).X_BL.inverse() * arm.X_BT();
  Eigen::Matrix<double, parameters_per_link, parameters_per_link> T;
  for (int k = 0; k < parameters_per_link; ++k)
    T.col(k) = parameters(seen_from<double>(
        X_LT, inertia_from_parameters<double>(InertiaParameters<double>(InertiaParameters<double>::Unit(k)))));
  return T;
}

//  The link frame L turns with w, dw and its origin accelerates with a less gravity, all in L; K = [dw]× + [w]×². Force and
//  moment on the link are (inverse_dynamics.cpp)
//     f = m a + K h,   n = h × a + I dw + w × I w                                                    (1)
//  A joint that moves L's origin with v and turns it with s feels v·f + s·n: its row for this link is
//     v·a  (m),   Kᵀ v + a × s  (h),   sᵀ I dw + (s × w)ᵀ I w  (I)                                   (2)
//  v = z × (p_L - p), s = z for a revolute joint at p with axis z; v = z, s = 0 for a prismatic one   (3)
template <Scalar S>
void torque_regressor(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd, Regressor<S>& W) {
  const int n = arm.dof();
  W.resize(n, parameters_per_link * n);
  W.setConstant(S(0));
  const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
  const Vec3<double>& g = arm.gravity();
  Vec3<S> w = Vec3<S>::Constant(S(0)), dw = w, p = w, a(S(-g[0]), S(-g[1]), S(-g[2]));  // of body k, in the world
  for (int k = 0; k < n; ++k) {
    const Body& body = arm.body(k);
    const Pose<S>& X_WB = poses.X_WB[k];
    const Vec3<S> z = X_WB.R.col(2);
    a += acceleration_matrix<S>(w, dw) * Vec3<S>(X_WB.p - p);
    p = X_WB.p;
    const Vec3<S> turned = cross<S>(w, z) * qd[k];
    if (body.revolute) {
      dw += z * qdd[k] + turned;
      w += z * qd[k];
    } else {
      a += z * qdd[k] + turned * S(2);
    }
    const Pose<S> X_WL = X_WB * body.X_BL.template cast<S>();
    const Mat3<S> R_LW = X_WL.R.transpose();
    const Vec3<S> a_L = R_LW * Vec3<S>(a + acceleration_matrix<S>(w, dw) * Vec3<S>(X_WL.p - p));
    const Vec3<S> w_L = R_LW * w, dw_L = R_LW * dw;
    const Mat3<S> K_L = acceleration_matrix<S>(w_L, dw_L);

    for (int i = 0; i <= k; ++i) {
      const Pose<S>& X = poses.X_WB[i];
      const Vec3<S> z_i = X.R.col(2);
      auto row = W.template block<1, parameters_per_link>(i, parameters_per_link * k);
      if (arm.body(i).revolute) {
        const Vec3<S> v = R_LW * cross<S>(z_i, X_WL.p - X.p), s = R_LW * z_i;  // (3)
        row(0) = dot<S>(v, a_L);                                               // (2)
        row.template segment<3>(1) = (K_L.transpose() * v + cross<S>(a_L, s)).transpose();
        row.template tail<6>() = (moments_between<S>(s, dw_L) + moments_between<S>(cross<S>(s, w_L), w_L)).transpose();
      } else {
        const Vec3<S> v = R_LW * z_i;
        row(0) = dot<S>(v, a_L);
        row.template segment<3>(1) = (K_L.transpose() * v).transpose();
      }
    }
  }
}

//     T = ½ m v·v + h·(v × w) + ½ wᵀ I w,   U = -m g·p - h·Rᵀ g      of frame L, v and w in L
template <Scalar S>
EnergyRegressor<S> energy_regressor(const Arm& arm, const VecX<S>& q, const VecX<S>& qd) {
  const int n = arm.dof();
  EnergyRegressor<S> E;
  E.kinetic.resize(parameters_per_link * n);
  E.potential.resize(parameters_per_link * n);
  E.potential.setConstant(S(0));
  const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
  const Vec3<S> g = arm.gravity().template cast<S>();
  Vec3<S> w = Vec3<S>::Constant(S(0)), v = w, p = w;  // of body k, in the world
  for (int k = 0; k < n; ++k) {
    const Body& body = arm.body(k);
    const Pose<S>& X_WB = poses.X_WB[k];
    const Vec3<S> z = X_WB.R.col(2);
    v += cross<S>(w, X_WB.p - p);
    p = X_WB.p;
    (body.revolute ? w : v) += z * qd[k];
    const Pose<S> X_WL = X_WB * body.X_BL.template cast<S>();
    const Mat3<S> R_LW = X_WL.R.transpose();
    const Vec3<S> v_L = R_LW * Vec3<S>(v + cross<S>(w, X_WL.p - p)), w_L = R_LW * w;
    auto kinetic = E.kinetic.template segment<parameters_per_link>(parameters_per_link * k);
    kinetic(0) = S(0.5) * dot<S>(v_L, v_L);
    kinetic.template segment<3>(1) = cross<S>(v_L, w_L).transpose();
    kinetic.template tail<6>() = (moments_between<S>(w_L, w_L) * S(0.5)).transpose();
    auto potential = E.potential.template segment<parameters_per_link>(parameters_per_link * k);
    potential(0) = -dot<S>(g, X_WL.p);
    potential.template segment<3>(1) = -(R_LW * g).transpose();
  }
  return E;
}

FrictionRegressor<double> friction_regressor(const VecX<double>& qd) {
  const Eigen::Index n = qd.size();
  FrictionRegressor<double> W = FrictionRegressor<double>::Zero(n, friction_parameters_per_joint * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double sign = (qd[i] > 0) - (qd[i] < 0);
    W.block<1, 3>(i, friction_parameters_per_joint * i) << sign, qd[i], 1;
  }
  return W;
}

template <Scalar S>
FrictionRegressor<S> smooth_friction_regressor(const VecX<S>& qd, double width) {
  const Eigen::Index n = qd.size();
  FrictionRegressor<S> W(n, friction_parameters_per_joint * n);
  W.setConstant(S(0));
  for (Eigen::Index i = 0; i < n; ++i)
    W.template block<1, 3>(i, friction_parameters_per_joint * i) << tanh(qd[i] * S(1 / width)), qd[i], S(1);
  return W;
}

std::optional<FrictionParameters> friction_parameters(const Arm& arm) {
  FrictionParameters p = FrictionParameters::Zero(friction_parameters_per_joint * arm.dof());
  for (int i = 0; i < arm.dof(); ++i) {
    const Friction& law = arm.joint(i).friction;
    auto own = p.segment<3>(friction_parameters_per_joint * i);
    if (const auto* f = std::get_if<CoulombViscous>(&law)) {
      own << f->coulomb, f->viscous, 0;
    } else if (const auto* a = std::get_if<AsymmetricFriction>(&law);
               a && a->coulomb_positive == a->coulomb_negative && a->viscous_positive == a->viscous_negative) {
      own << a->coulomb_positive, a->viscous_positive, a->offset;
    } else if (!std::holds_alternative<NoFriction>(law)) {
      return std::nullopt;
    }
  }
  return p;
}

//     motor k turns with N_k (C qdd)_k and needs J_k times that; the joints feel it times N_k Cᵀ:  D_ik = C_ki N_k² (C qdd)_k
template <Scalar S>
MatX<S> rotor_regressor(const Arm& arm, const VecX<S>& qdd) {
  const int n = arm.dof();
  const MatX<double>& C = arm.couplings();
  MatX<S> D(n, n);
  for (int k = 0; k < n; ++k) {
    const double N = arm.joint(k).drive.gear_ratio.value_or(1);
    S geared(0);
    for (int j = 0; j < n; ++j) geared += S(C(k, j)) * qdd[j];
    for (int i = 0; i < n; ++i) D(i, k) = S(C(k, i) * N * N) * geared;
  }
  return D;
}

#define ARMATURE_INSTANTIATE(S)                                                                              \
  template void torque_regressor(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&, Regressor<S>&); \
  template EnergyRegressor<S> energy_regressor(const Arm&, const VecX<S>&, const VecX<S>&);                  \
  template FrictionRegressor<S> smooth_friction_regressor(const VecX<S>&, double);                           \
  template MatX<S> rotor_regressor(const Arm&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
