#include "armature/codegen/derive/internal/reduced_derivatives.hpp"

#include "armature/codegen/derive/internal/reduced_composite.hpp"
#include "armature/codegen/derive/internal/reduced_inverse_dynamics.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::codegen {

// tr(A) w - A w
template <Scalar S>
Vec3<S> inertia_times(const Mat3<S>& A, const Vec3<S>& w) {
  const S xx = A(1, 1) + A(2, 2), yy = A(0, 0) + A(2, 2), zz = A(0, 0) + A(1, 1);
  return {xx * w[0] - A(0, 1) * w[1] - A(0, 2) * w[2], yy * w[1] - A(1, 0) * w[0] - A(1, 2) * w[2],
          zz * w[2] - A(2, 0) * w[0] - A(2, 1) * w[1]};
}

// Moments of a body and all behind it, and twice those of their velocities: 2 ∫ rd dm, 2 ∫ rd rᵀ dm.
template <Scalar S>
struct MovingComposite {
  Composite<S> still;
  Vec3<S> g = Vec3<S>::Constant(S(0.));
  Mat3<S> G = Mat3<S>::Constant(S(0.));

  void add(const Composite<S>& own, const Vec3<S>& twice_w) {
    still.add(own);
    g = Vec3<S>(g + cross_product<S>(twice_w, own.h));
    for (int j = 0; j < 3; ++j) G.col(j) += cross_product<S>(twice_w, Vec3<S>(own.N.col(j)));
  }
  // the origin by -p, and twice the velocities by c
  void shift(const Vec3<S>& p, const Vec3<S>& c) {
    still.shift(p);
    G = Mat3<S>(G + g * p.transpose() + c * still.h.transpose());
    g = Vec3<S>(g + c * still.m);
  }
  // of the twist (v; w): J (v; w), and 2 V J (v; w), which does not see v
  [[nodiscard]] Force<S> momentum(const Vec3<S>& v, const Vec3<S>& w) const {
    return {Vec3<S>(v * still.m + cross_product<S>(w, still.h)),
            Vec3<S>(cross_product<S>(still.h, v) + inertia_times<S>(still.N, w))};
  }
  [[nodiscard]] Force<S> turned_momentum(const Vec3<S>& w) const {
    return {cross_product<S>(w, g), inertia_times<S>(G, w)};
  }
};

// How a joint's twist Q changes with time, in the axes of its body, for an observer who moves along with the body's origin
// at this instant.
template <Scalar S>
struct JointTwist {
  Vec3<S> v, w;                // Q
  Vec3<S> vd, wd;              // Qd
  Vec3<S> vd_twice, wd_twice;  // 2 Qd
  Vec3<S> vdd, wdd;            // Qdd
};
template <Scalar S>
JointTwist<S> joint_twist(const ReducedBody& body, const BodyMotion<S>& b, const Vec3<S>& twice_w,
                          const Vec3<S>& slide) {
  const Vec3<S> zero(S(0.), S(0.), S(0.));
  if (!body.revolute)
    return {slide, zero, cross_product<S>(b.w, slide), zero, cross_product<S>(twice_w, slide), zero, b.U * slide, zero};
  const S sign(body.sign), none(0.);
  const Vec3<S> axis(none, none, sign);
  return {zero,
          axis,
          zero,
          {sign * b.w[1], -sign * b.w[0], none},
          zero,
          {sign * twice_w[1], -sign * twice_w[0], none},
          {sign * b.a[1], -sign * b.a[0], none},
          Vec3<S>(b.U.col(2) * sign)};
}

// What carries wrenches from body to body: the twist of each joint, the way that a slide has gone, twice the angular velocities, and twice
// the velocities c of (3) over the lever and over the slide.
template <Scalar S>
struct JointTwists {
  std::vector<JointTwist<S>> Q;
  std::vector<Vec3<S>> step, twice_w, twice_c, twice_c_slide;
};
template <Scalar S>
JointTwists<S> joint_twists(const ReducedArm& arm, const VecX<S>& q, const VecX<S>& qd, const ArmMotion<S>& motion) {
  const std::size_t n = arm.bodies.size();
  const S two(2.);
  JointTwists<S> j{std::vector<JointTwist<S>>(n), std::vector<Vec3<S>>(n), std::vector<Vec3<S>>(n),
                   std::vector<Vec3<S>>(n), std::vector<Vec3<S>>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<int>(i);
    j.twice_w[i] = Vec3<S>(motion.bodies[i].w * two);
    j.Q[i] = joint_twist<S>(arm.bodies[i], motion.bodies[i], j.twice_w[i], motion.slide[i]);
    if (!arm.bodies[i].revolute) {
      j.step[i] = Vec3<S>(motion.slide[i] * q[k]);
      j.twice_c_slide[i] = Vec3<S>(cross_product<S>(j.twice_w[i], j.step[i]) + motion.slide[i] * (two * qd[k]));
    }
    if (i > 0) j.twice_c[i] = cross_product<S>(j.twice_w[i - 1], motion.lever[i]);
  }
  return j;
}

//  derivatives.cpp has the equations, with the same letters; they hold for any inertial observer. Here each joint's are
//  written in the axes of its body by an observer who moves along with the body's origin at this instant (v = 0), so that
//     revolute, axis e:    Q = (0; e),  Qd = (0; w × e),  Qdd = (a × e; U e)                          (1)
//     prismatic, along d:  Q = (d; 0),  Qd = (w × d; 0),  Qdd = (U d; 0)                              (2)
//  From joint to joint wrenches are carried as forces are; the moments of velocities and the wrench of Q (V J)ᵀ, which is
//  a moment t alone, also see the change of the observer's velocity by c:
//     r <- r + p, rd <- rd + c:   ∫ rd rᵀ dm <- ∫ rd rᵀ dm + (∫ rd dm) pᵀ + c hᵀ,   t <- t + c × f     (3)
//  with h seen from the new origin, and f the force of Q J.
template <Scalar S>
InverseDynamicsDerivatives<S> reduced_derivatives(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                                  const VecX<S>& qd, const ArmMotion<S>& motion) {
  const std::size_t n = arm.bodies.size();
  const auto size = static_cast<int>(n);
  InverseDynamicsDerivatives<S> d{MatX<S>(size, size), MatX<S>(size, size), MatX<S>(size, size)};
  const std::vector<Force<S>> forces = reduced_forces<S>(arm, choices, q, motion);
  const JointTwists<S> joints = joint_twists<S>(arm, q, qd, motion);
  const auto carry = [&](Force<S> F, std::size_t i) {  // from body i to the one before
    if (!arm.bodies[i].revolute) F.n = Vec3<S>(F.n + cross_product<S>(joints.step[i], F.f));
    F.f = to_previous<S>(arm, choices, motion.angle, i, F.f);
    F.n = Vec3<S>(to_previous<S>(arm, choices, motion.angle, i, F.n) + cross_product<S>(motion.lever[i], F.f));
    return F;
  };
  const auto power = [](const Vec3<S>& v, const Vec3<S>& w, const Force<S>& F) {
    return dot<S>(v, F.f) + dot<S>(w, F.n);
  };
  const auto sum = [](const Force<S>& a, const Force<S>& b) { return Force<S>{a.f + b.f, a.n + b.n}; };

  MovingComposite<S> c;
  for (std::size_t m = n; m-- > 0;) {
    c.add(own_moments<S>(arm, choices, motion.angle, m), joints.twice_w[m]);
    const JointTwist<S>& Qm = joints.Q[m];
    Force<S> row = c.momentum(Qm.v, Qm.w);
    Vec3<S> t = Vec3<S>(inertia_times<S>(Mat3<S>(c.G.transpose()), Qm.w) + cross_product<S>(c.g, Qm.v));
    Force<S> column_qd = sum(c.momentum(Qm.vd_twice, Qm.wd_twice), c.turned_momentum(Qm.w));
    Force<S> column_q = sum(c.momentum(Qm.vdd, Qm.wdd), c.turned_momentum(Qm.wd));
    const Force<S>& F = forces[m];
    const Force<S> carried{cross_product<S>(Qm.w, F.f), cross_product<S>(Qm.w, F.n) + cross_product<S>(Qm.v, F.f)};
    for (std::size_t i = m;; --i) {
      const auto a = static_cast<int>(m), b = static_cast<int>(i);
      const JointTwist<S>& Qi = joints.Q[i];
      d.M(a, b) = d.M(b, a) = power(Qi.v, Qi.w, row);
      d.dqd(b, a) = power(Qi.v, Qi.w, column_qd);
      d.dq(b, a) = power(Qi.v, Qi.w, column_q);
      if (i < m) {
        d.dqd(a, b) = power(Qi.vd_twice, Qi.wd_twice, row) + dot<S>(Qi.w, t);
        d.dq(a, b) = power(Qi.vdd, Qi.wdd, row) + dot<S>(Qi.wd, t);
      } else {
        column_q = sum(column_q, carried);
      }
      if (i == 0) break;
      if (!arm.bodies[i].revolute) t = Vec3<S>(t + cross_product<S>(joints.twice_c_slide[i], row.f));  // (3)
      t = to_previous<S>(arm, choices, motion.angle, i, t);
      row = carry(row, i);
      column_qd = carry(column_qd, i);
      column_q = carry(column_q, i);
      t = Vec3<S>(t + cross_product<S>(joints.twice_c[i], row.f));  // (3)
    }
    if (m == 0) break;
    if (!arm.bodies[m].revolute) c.shift(joints.step[m], joints.twice_c_slide[m]);
    c.still.to_previous_axes(arm, choices, motion.angle, m);
    c.g = to_previous<S>(arm, choices, motion.angle, m, c.g);
    c.G = to_previous<S>(arm, choices, motion.angle, m, c.G);
    c.shift(motion.lever[m], joints.twice_c[m]);
  }
  return d;
}

#define ARMATURE_INSTANTIATE(S)                                                                                 \
  template InverseDynamicsDerivatives<S> reduced_derivatives(const ReducedArm&, const Choices&, const VecX<S>&, \
                                                             const VecX<S>&, const ArmMotion<S>&);
ARMATURE_INSTANTIATE(double)
ARMATURE_INSTANTIATE(Expr)
#undef ARMATURE_INSTANTIATE

}  // namespace armature::codegen
