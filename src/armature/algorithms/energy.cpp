#include "armature/algorithms/energy.hpp"

#include <type_traits>

#include "armature/algorithms/internal/bodies_in_first_axes.hpp"
#include "armature/algorithms/internal/inertia_as.hpp"
#include "armature/algorithms/moving_inertia.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/scalar/scalars.hpp"
#include "armature/scalar/sin_cos.hpp"
#include "armature/scalar/wide_registers.hpp"

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

//     T = ½ qdᵀ (M + rotors) qd,   U = -g·sum (m p + R h): in the axes of the first body, which gravity is turned into
template <Scalar S>
Energy<S> energy(const Arm& arm, const MovingInertia<S>& inertia, const VecX<S>& q, const VecX<S>& qd) {
  const int n = arm.dof();
  std::array<S, max_joints> s, c;
  PlacedBodies<S> placed;
  sin_cos(q.data(), n, s.data(), c.data());
  MatX<S> M(n, n);
  Energy<S> total{S(0), S(0)};
  const Vec3<double>& g = arm.gravity();
  in_wide_registers<S>([&] {
    place_in_first_axes(arm, inertia.bodies, q.data(), s.data(), c.data(), placed);
    mass_matrix_of(arm, placed, M);
    for (int i = 0; i < n; ++i) {
      S row = S(0.5) * (M(i, i) + inertia.rotors[i]) * qd[i];
      for (int j = 0; j < i; ++j) row += M(i, j) * qd[j];
      total.kinetic += row * qd[i];
    }
    const Triple<S> down{S(g[0]), S(g[1]), S(g[2])};
    const Triple<S> here = turned_back(joint_axes<S>(arm.body(0), s[0], c[0]), down);
    S m(0);
    Triple<S> h(m, m, m);
    for (int i = 0; i < n; ++i) {
      m += placed[i].m;
      h += placed[i].h + placed[i].p * placed[i].m;
    }
    total.potential = -(dot(here, h) + dot(down, joint_offset<S>(arm.body(0), q[0])) * m);
  });
  return total;
}

#define ARMATURE_INSTANTIATE(S)                                                               \
  template Energy<S> energy(const Arm&, const VecX<S>&, const LinkPoses<S>&, const VecX<S>&); \
  template Energy<S> energy(const Arm&, const MovingInertia<S>&, const VecX<S>&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
