// All bodies seen in the axes of the first one: there nothing is turned again on its way along the chain, and the first joint's
// position does not matter. What the mass matrix and forward dynamics start from.
#pragma once

#include <array>

#include "armature/algorithms/internal/triple.hpp"

namespace armature::algorithms {

template <Scalar S>
struct BodyInFirstAxes {
  Columns<S> R;    // its axes; its joint's is the last
  Triple<S> p;     // its origin, from that of the first body
  Triple<S> d;     // its origin, from that of its parent
  S m;             // mass
  Triple<S> h;     // first moment about its origin
  Symmetric<S> I;  // inertia about its origin
};
template <Scalar S>
using PlacedBodies = std::array<BodyInFirstAxes<S>, max_joints>;

/// The bodies as they are described.
struct OwnInertia {
  const Body* bodies;
  const Inertia<double>& operator[](int i) const { return bodies[i].inertia; }
};

/// `inertia`: of every body. s and c: sine and cosine of every joint's position; of the first none is asked for.
template <Scalar S, class Inertias>
void place_in_first_axes(const Arm& arm, const Inertias& inertia, const S* q, const S* s, const S* c,
                         PlacedBodies<S>& placed) {
  const int n = arm.dof();
  const Body* bodies = arm.bodies().data();
  const S zero(0);
  const S one(1);
  placed[0].R = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
  placed[0].p = {zero, zero, zero};
  placed[0].d = placed[0].p;
  placed[0].m = S(inertia[0].m);
  placed[0].h = Triple<S>(inertia[0].h);
  placed[0].I = Symmetric<S>(inertia[0].I_Bo);
  Columns<S> R;
  Triple<S> p = placed[0].p;
  for (int i = 1; i < n; ++i) {
    const Body& body = bodies[i];
    BodyInFirstAxes<S>& b = placed[i];
    const Columns<S> R_PB = joint_axes<S>(body, s[i], c[i]);
    const Triple<S> p_PB = joint_offset<S>(body, q[i]);
    if (i == 1) {
      R = R_PB;
      b.d = p_PB;
    } else {
      b.d = turned(R, p_PB);
      R = product(R, R_PB);
    }
    p += b.d;
    b.R = R;
    b.p = p;
    b.m = S(inertia[i].m);
    b.h = turned(R, Triple<S>(inertia[i].h));
    b.I = turned(R, Symmetric<S>(inertia[i].I_Bo));
  }
}

/// M(q) from them, its lower triangle:
///     Ic_i = I_i + Ic_(i+1) seen from the origin of body i                                     (1)
///     momentum of the composite when joint i moves with unit speed, about that origin:
///     revolute  (f; n) = (z × h; Ic z),   prismatic (f; n) = (m z; h × z)                       (2)
///     M_ij = z_j·(n + (p_i - p_j) × f) (revolute j), z_j·f (prismatic j)                        (3)
template <Scalar S>
void mass_matrix_of(const Arm& arm, const PlacedBodies<S>& placed, MatX<S>& M) {
  const Body* bodies = arm.bodies().data();
  const int last = arm.dof() - 1;
  S m = placed[last].m;
  Triple<S> h = placed[last].h;
  Symmetric<S> I = placed[last].I;
  for (int i = last; i >= 0; --i) {
    const BodyInFirstAxes<S>& b = placed[i];
    const Triple<S> z = b.R.z;
    Triple<S> f, n;  // (2)
    if (bodies[i].revolute) {
      f = cross(z, h);
      n = I * z;
      M(i, i) = dot(z, n);
    } else {
      f = z * m;
      n = cross(h, z);
      M(i, i) = m;
    }
    for (int j = i - 1; j >= 0; --j) {
      const BodyInFirstAxes<S>& a = placed[j];
      M(i, j) = bodies[j].revolute ? dot(a.R.z, n + cross(b.p - a.p, f)) : dot(a.R.z, f);  // (3)
    }
    if (i == 0) break;
    // (1): I + 2 (d·h) 1 - d hᵀ - h dᵀ + m (d·d 1 - d dᵀ), with k = h + m d the first moment about the parent's origin
    const BodyInFirstAxes<S>& parent = placed[i - 1];
    const Symmetric<S>& J = parent.I;
    const Triple<S> d = b.d;
    const Triple<S> k = h + d * m;
    const S twice = dot(d, h + k);
    I = {I.xx + J.xx + (twice - (d.x * h.x + k.x * d.x)), I.xy + J.xy - (d.x * h.y + k.x * d.y),
         I.yy + J.yy + (twice - (d.y * h.y + k.y * d.y)), I.xz + J.xz - (d.x * h.z + k.x * d.z),
         I.yz + J.yz - (d.y * h.z + k.y * d.z),           I.zz + J.zz + (twice - (d.z * h.z + k.z * d.z))};
    h = parent.h + k;
    m += parent.m;
  }
}

}  // namespace armature::algorithms
