#include "armature/algorithms/forward_dynamics.hpp"

#include <type_traits>

#include "armature/algorithms/internal/joint_motion.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

/// (f; n) = [A B; Bᵀ D] (a; dw) + (pf; pn): what a body with everything behind it answers to an acceleration of its frame.
template <Scalar S>
struct ArticulatedBody {
  Mat3<S> A, B, D;
  Vec3<S> pf, pn;
};

/// E seen from the parent frame, in which its pose is X:  a = Rᵀ(a_P + dw_P × p), f_P = R f, n_P = R n + p × R f.
///   A_P = R A Rᵀ,  B_P = R B Rᵀ - A_P [p]×,  D_P = R D Rᵀ - (R B Rᵀ)ᵀ [p]× + [p]× B_P
template <Scalar S>
void add_seen_from_parent(const Pose<S>& X, const ArticulatedBody<S>& E, ArticulatedBody<S>& parent) {
  const Mat3<S>& R = X.R;
  const Mat3<S> P = skew<S>(X.p);
  const Mat3<S> A = Mat3<S>(R * E.A) * R.transpose(), B = Mat3<S>(R * E.B) * R.transpose();
  const Mat3<S> B_P = B - A * P;
  const Vec3<S> f = R * E.pf;
  parent.A += A;
  parent.B += B_P;
  parent.D += Mat3<S>(R * E.D) * R.transpose() - B.transpose() * P + P * B_P;
  parent.pf += f;
  parent.pn += R * E.pn + cross<S>(X.p, f);
}

}  // namespace

//  Notation of inverse_dynamics.cpp. With accelerations of the frames' origins (not spatial ones) the velocity terms are
//     cf = Rᵀ(w_P × (w_P × p)) [+ 2 u × z qd],   cn = u × z qd [revolute]         (1)
//     pf = w × (w × h),   pn = w × I w                                            (2)
//  and for a joint with axis s (z in the angular or the linear part)
//     U = E s,  d = s·U,  e = tau - s·p                                           (3)
//     E <- E - U Uᵀ/d,  p <- p + E c + U e/d                                      (4)
//     qdd = (e - U·(acceleration carried over from the parent))/d                 (5)
template <Scalar S>
void forward_dynamics(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& tau,
                      std::span<const BodyWrench<S>> wrenches, VecX<S>& qdd) {
  const int n = arm.dof();
  const Body* bodies = arm.bodies().data();
  qdd.resize(n);
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->forward_dynamics && wrenches.empty())
      return k->forward_dynamics(q.data(), qd.data(), tau.data(), qdd.data());
  std::array<Pose<S>, max_joints> X;
  std::array<ArticulatedBody<S>, max_joints> E;
  std::array<Vec3<S>, max_joints> cf, cn, Uf, Un;
  std::array<S, max_joints> reciprocal, e;

  Vec3<S> w = Vec3<S>::Constant(S(0));
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Body& body = bodies[i];
    X[k] = joint_pose<S>(body, q[i]);
    if (i == 0) {
      cf[k] = Vec3<S>::Constant(S(0));
    } else {
      cf[k] = X[k].R.transpose() * cross<S>(w, cross<S>(w, X[k].p));  // (1)
      w = Vec3<S>(X[k].R.transpose() * w);
    }
    if (body.revolute) {
      cn[k] = Vec3<S>(w[1] * qd[i], -w[0] * qd[i], S(0));
      w[2] += qd[i];
    } else {
      const S twice = qd[i] + qd[i];
      cn[k] = Vec3<S>::Constant(S(0));
      cf[k][0] += w[1] * twice;
      cf[k][1] -= w[0] * twice;
    }
    const auto& I = inertia_as(body, S{});
    E[k].A = Mat3<S>(Vec3<S>::Constant(I.m).asDiagonal());
    E[k].B = -skew<S>(I.h);
    E[k].D = I.I_Bo;
    E[k].pf = cross<S>(w, cross<S>(w, I.h));  // (2)
    E[k].pn = cross<S>(w, Vec3<S>(I.I_Bo * w));
  }
  for (const BodyWrench<S>& wrench : wrenches) {
    E[wrench.body].pf -= wrench.f;
    E[wrench.body].pn -= wrench.mu;
  }

  for (int i = n - 1; i >= 0; --i) {
    const auto k = static_cast<std::size_t>(i);
    const bool turns = bodies[i].revolute;
    Uf[k] = turns ? Vec3<S>(E[k].B.col(2)) : Vec3<S>(E[k].A.col(2));  // (3)
    Un[k] = turns ? Vec3<S>(E[k].D.col(2)) : Vec3<S>(E[k].B.row(2).transpose());
    reciprocal[k] = S(1) / (turns ? Un[k][2] : Uf[k][2]);
    e[k] = tau[i] - (turns ? E[k].pn[2] : E[k].pf[2]);
    if (i == 0) break;
    const Vec3<S> vf = Uf[k] * reciprocal[k], vn = Un[k] * reciprocal[k];
    E[k].A -= vf * Uf[k].transpose();  // (4)
    E[k].B -= vf * Un[k].transpose();
    E[k].D -= vn * Un[k].transpose();
    E[k].pf += E[k].A * cf[k] + E[k].B * cn[k] + vf * e[k];
    E[k].pn += E[k].B.transpose() * cf[k] + E[k].D * cn[k] + vn * e[k];
    add_seen_from_parent(X[k], E[k], E[k - 1]);
  }

  const Vec3<double>& g = arm.gravity();
  Vec3<S> a(S(-g[0]), S(-g[1]), S(-g[2])), dw = Vec3<S>::Constant(S(0));
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    a = Vec3<S>(X[k].R.transpose() * Vec3<S>(a + cross<S>(dw, X[k].p)) + cf[k]);
    dw = Vec3<S>(X[k].R.transpose() * dw + cn[k]);
    S carried = Uf[k][0] * a[0] + Uf[k][1] * a[1] + Uf[k][2] * a[2];
    carried += Un[k][0] * dw[0] + Un[k][1] * dw[1] + Un[k][2] * dw[2];
    qdd[i] = (e[k] - carried) * reciprocal[k];  // (5)
    (bodies[i].revolute ? dw : a)[2] += qdd[i];
  }
}

#define ARMATURE_INSTANTIATE(S)                                                              \
  template void forward_dynamics(const Arm&, const VecX<S>&, const VecX<S>&, const VecX<S>&, \
                                 std::span<const BodyWrench<S>>, VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
