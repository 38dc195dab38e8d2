#include "armature/algorithms/energy.hpp"

#include "armature/algorithms/joint_motion.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature {

//     T = ½ m v·v + v·(w × h) + ½ w·I w,   U = -g·(m p + R h)     per body, v and w of its origin in its frame
template <Scalar S>
Energy<S> energy(const Arm& arm, const VecX<S>& q, const VecX<S>& qd) {
  const Vec3<double>& g = arm.gravity();
  Energy<S> total{S(0), S(0)};
  Pose<S> X_WB;
  Vec3<S> v = Vec3<S>::Constant(S(0)), w = Vec3<S>::Constant(S(0));
  for (int i = 0; i < arm.dof(); ++i) {
    const Body& body = arm.body(i);
    const Pose<S> X_PB = joint_pose<S>(body, q[i]);
    X_WB = X_WB * X_PB;
    v = Vec3<S>(X_PB.R.transpose() * Vec3<S>(v + cross<S>(w, X_PB.p)));
    w = Vec3<S>(X_PB.R.transpose() * w);
    (body.revolute ? w : v)[2] += qd[i];

    const Inertia<S> I = body.inertia.cast<S>();
    const Vec3<S> wh = cross<S>(w, I.h), Iw = I.I_Bo * w, Rh = X_WB.R * I.h;
    for (int k = 0; k < 3; ++k) {
      total.kinetic += S(0.5) * (I.m * v[k] * v[k] + w[k] * Iw[k]) + v[k] * wh[k];
      total.potential -= S(g[k]) * (I.m * X_WB.p[k] + Rh[k]);
    }
  }
  return total;
}

#define ARMATURE_INSTANTIATE(S) template Energy<S> energy(const Arm&, const VecX<S>&, const VecX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature
