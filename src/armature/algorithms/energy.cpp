#include "armature/algorithms/energy.hpp"

#include <type_traits>

#include "armature/algorithms/internal/inertia_as.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

namespace {

template <Scalar S>
S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

//     T = ½ m v·v + v·(w × R h) + ½ w_B·I w_B,   U = -g·(m p + R h)
//  per body: v and w of its origin and R h in world axes, w_B = Rᵀ w
template <Scalar S>
Energy<S> energy(const Arm& arm, const VecX<S>& q, const LinkPoses<S>& poses, const VecX<S>& qd) {
  const Vec3<S> g = arm.gravity().template cast<S>();
  Energy<S> total{S(0), S(0)};
  if (!arm.springs().empty()) total.potential += spring_energy<S>(arm, q);
  bool recursion = true;
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->mass_matrix) {
      MatX<double> M(arm.dof(), arm.dof());
      k->mass_matrix(q.data(), M.data());
      total.kinetic = 0.5 * qd.dot(M.lazyProduct(qd));
      recursion = false;
    }
  Vec3<S> v = Vec3<S>::Constant(S(0)), w = v, p = v;
  for (int i = 0; i < arm.dof(); ++i) {
    const Body& body = arm.body(i);
    const Pose<S>& X = poses.X_WB[i];
    const auto& I = inertia_as(body, S{});
    const Vec3<S> Rh = X.R * I.h;
    total.potential -= I.m * dot<S>(g, X.p) + dot<S>(g, Rh);
    if (!recursion) continue;
    v += cross<S>(w, Vec3<S>(X.p - p));
    p = X.p;
    (body.revolute ? w : v) += X.R.col(2) * qd[i];
    const Vec3<S> w_B = X.R.transpose() * w;
    total.kinetic += S(0.5) * (I.m * dot<S>(v, v) + dot<S>(w_B, Vec3<S>(I.I_Bo * w_B))) + dot<S>(v, cross<S>(w, Rh));
  }
  return total;
}

#define ARMATURE_INSTANTIATE(S) \
  template Energy<S> energy(const Arm&, const VecX<S>&, const LinkPoses<S>&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
