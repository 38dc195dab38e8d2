// Joints as velocity fields of the world, and the moments of the bodies that they move: what the matrices of the
// dynamics are made of. Everything is in world axes and about the first joint's origin.
#pragma once

#include <array>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/internal/inertia_as.hpp"

namespace armature::algorithms {

/// The joint's twist when it moves with unit speed, seen from `origin`.
template <Scalar S>
Twist<S> joint_twist(const Body& body, const Pose<S>& X_WB, const Vec3<S>& origin) {
  const Vec3<S> z = X_WB.R.col(2);
  if (body.revolute) return {cross<S>(X_WB.p - origin, z), z};
  return {z, Vec3<S>::Constant(S(0))};
}

/// Moments of moving bodies. With the pseudo-inertia J = ∫ (x; 1)(x; 1)ᵀ dm = [N h; hᵀ m], N = ½ tr(I) 1 - I:
/// V J = [G g; 0 0], summed over the bodies, each with its own twist V.
template <Scalar S>
struct CompositeMoments {
  Inertia<S> inertia;
  Mat3<S> G = Mat3<S>::Constant(S(0));  // ∫ xd xᵀ dm [kg m²/s]
  Vec3<S> g = Vec3<S>::Constant(S(0));  // ∫ xd dm, the linear momentum [kg m/s]

  void add(const Inertia<S>& I, const Twist<S>& V) {
    inertia = inertia + I;
    const S half_trace = S(0.5) * (I.I_Bo(0, 0) + I.I_Bo(1, 1) + I.I_Bo(2, 2));
    const Mat3<S> N = Mat3<S>(Vec3<S>::Constant(half_trace).asDiagonal()) - I.I_Bo;
    G += skew<S>(V.w) * N + V.v * I.h.transpose();
    g += cross<S>(V.w, I.h) + V.v * I.m;
  }
};

// A matrix [A a; 0 0] acts on a twist by its trace product, tr([A a; 0 0] [[w]× v; 0 0]ᵀ) = a·v + axial(A)·w; these are
// the wrenches (a; axial(A)) of Q J, Q (V J) and Q (V J)ᵀ:

/// Q J: the momentum of the bodies moving with Q.
template <Scalar S>
Wrench<S> momentum(const Twist<S>& Q, const CompositeMoments<S>& c) {
  return {Q.v * c.inertia.m + cross<S>(Q.w, c.inertia.h), cross<S>(c.inertia.h, Q.v) + c.inertia.I_Bo * Q.w};
}

/// Q (V J): only the turning part of Q counts.
template <Scalar S>
Wrench<S> momentum_turned(const Vec3<S>& w, const CompositeMoments<S>& c) {
  return {cross<S>(w, c.g), Vec3<S>(w * (c.G(0, 0) + c.G(1, 1) + c.G(2, 2)) - c.G * w)};
}

/// Q (V J)ᵀ has no force; this is its moment.
template <Scalar S>
Vec3<S> momentum_turned_back(const Twist<S>& Q, const CompositeMoments<S>& c) {
  return Q.w * (c.G(0, 0) + c.G(1, 1) + c.G(2, 2)) - c.G.transpose() * Q.w + cross<S>(c.g, Q.v);
}

/// Force and moment that accelerate a body: f = m a + K h,  n = h × a + I dw + w × I w; V, Vd its twist and its change.
template <Scalar S>
Wrench<S> force_on(const Inertia<S>& I, const Twist<S>& V, const Twist<S>& Vd) {
  const Vec3<S> a = Vd.v + cross<S>(V.w, V.v);  // of the point of the body that passes the origin
  return {a * I.m + acceleration_matrix<S>(V.w, Vd.w) * I.h,
          cross<S>(I.h, a) + I.I_Bo * Vd.w + cross<S>(V.w, Vec3<S>(I.I_Bo * V.w))};
}

}  // namespace armature::algorithms
