#include "armature/codegen/derive/internal/reduced_motion.hpp"

#include "armature/scalar/scalars.hpp"

namespace armature::codegen {
namespace {

//  A group of bodies turns about parallel axes. In the axes G of the group (which are those of the body before it, turned by
//  the constant R_PG) let w = (x, y, z) be the angular velocity of a body and U = [dw]× + [w]×² the matrix that gives the
//  acceleration of its points, a + U r. The axis of a joint is common to the bodies it joins, so the third column u of U is
//  the same for all bodies of the group and the one before. The rest follows from it:
//
//     z = z_P + sum qd,   dz = dz_P + sum qdd                                                        (1)
//     U13 = u1,  U23 = u2,  U33 = u3 = -(x² + y²)                                                    (2)
//     dy = u1 - x z,  U31 = x z - dy,   dx = y z - u2,  U32 = y z + dx                               (3)
//     U21 = x y + dz,  U12 = x y - dz,  U11 = -(y² + z²),  U22 = -(x² + z²)                          (4)
//
//  The equations of a body are written in its own axes or in those of its group.
template <Scalar S>
void fill(BodyMotion<S>& b, const Vec3<S>& u) {
  const S &x = b.w[0], &y = b.w[1], &z = b.w[2];
  const S xz = x * z, yz = y * z, xy = x * y;
  b.dy = u[0] - xz;
  b.dx = yz - u[1];
  b.U << -(y * y + z * z), xy - b.dz, u[0],  //
      xy + b.dz, -(x * x + z * z), u[1],     //
      xz - b.dy, yz + b.dx, u[2];
}

// The same motion in the body's own axes, in place of those of its group.
template <Scalar S>
void turn_to_own_axes(BodyMotion<S>& b, const Angle<S>& angle) {
  const Vec3<S> u = turned_back<S>(angle, Vec3<S>(b.U.col(2)));
  b.w = turned_back<S>(angle, b.w);
  fill<S>(b, u);
}

// What of the motion of the body before a group its bodies share, in the group's axes: R turns to them, `axis` is their z.
template <Scalar S>
struct BeforeGroup {
  Vec3<S> w, u;
  S dz;
};
template <Scalar S>
BeforeGroup<S> seen_in_group(const BodyMotion<S>& previous, const Mat3<S>& R, const Vec3<S>& axis) {
  const Vec3<S> w = R * previous.w, u = R * Vec3<S>(previous.U * axis);
  return {w, u, axis[0] * previous.dx + axis[1] * previous.dy + axis[2] * previous.dz};
}

// The acceleration of a body that has slid by q along `slide`, at this speed and acceleration.
template <Scalar S>
void add_slide(BodyMotion<S>& b, const Vec3<S>& slide, const S& q, const S& speed, const S& acceleration) {
  const Vec3<S> coriolis = cross_product<S>(b.w, slide), centripetal = b.U * slide;
  for (int j = 0; j < 3; ++j)
    b.a[j] = b.a[j] + centripetal[j] * q + (speed + speed) * coriolis[j] + slide[j] * acceleration;
}

}  // namespace

template <Scalar S>
ArmMotion<S> reduced_motion(const ReducedArm& arm, const Choices& choices, const VecX<S>& q, const VecX<S>& qd,
                            const VecX<S>& qdd) {
  const std::size_t n = arm.bodies.size();
  ArmMotion<S> motion{
      group_angles<S>(arm, q), std::vector<Vec3<S>>(n), std::vector<Vec3<S>>(n), std::vector<BodyMotion<S>>(n), {}};
  const Vec3<S> zero(S(0.), S(0.), S(0.));
  BodyMotion<S> previous{zero, S(0.), S(0.), S(0.), numbers<S>(-arm.gravity), Mat3<S>::Constant(S(0.))};
  Angle<S> previous_angle{S(1.), S(0.)};
  bool previous_own = true;
  BeforeGroup<S> before{zero, zero, S(0.)};
  S omega = S(0.), alpha = S(0.);

  for (std::size_t i = 0; i < n; ++i) {
    const ReducedBody& body = arm.bodies[i];
    const bool own = choices[i].own_axes;
    const auto k = static_cast<int>(i);
    motion.lever[i] = lever_to<S>(arm, choices, motion.angle, i);
    Vec3<S> a = previous.a + previous.U * motion.lever[i];
    if (body.first_of_group) {
      if (!previous_own) {
        turn_to_own_axes<S>(previous, previous_angle);
        a = turned_back<S>(previous_angle, a);
      }
      const Mat3<S> R = body.R_PG.transpose().template cast<S>();
      before = seen_in_group<S>(previous, R, numbers<S>(Vec3<double>(body.R_PG.col(2))));
      a = Vec3<S>(R * a);
      omega = alpha = S(0.);
    } else if (previous_own) {
      a = turned<S>(previous_angle, a);
    }
    const S speed = S(body.sign) * qd[k], acceleration = S(body.sign) * qdd[k];
    if (body.revolute) {
      omega = omega + speed;
      alpha = alpha + acceleration;
      motion.kept.push_back(omega);
      motion.kept.push_back(alpha);
    }

    BodyMotion<S>& b = motion.bodies[i];
    b.w = Vec3<S>(before.w[0], before.w[1], before.w[2] + omega);
    b.dz = before.dz + alpha;
    Vec3<S> u = before.u;
    if (own) {
      b.w = turned_back<S>(motion.angle[i], b.w);
      u = turned_back<S>(motion.angle[i], u);
      a = turned_back<S>(motion.angle[i], a);
    }
    fill<S>(b, u);
    b.a = a;
    if (!body.revolute) {
      motion.slide[i] = slide_of<S>(arm, choices, motion.angle, i);
      add_slide<S>(b, motion.slide[i], q[k], speed, acceleration);
    }
    previous = b;
    previous_angle = motion.angle[i];
    previous_own = own;
  }
  return motion;
}

#define ARMATURE_INSTANTIATE(S)                                                                           \
  template ArmMotion<S> reduced_motion(const ReducedArm&, const Choices&, const VecX<S>&, const VecX<S>&, \
                                       const VecX<S>&);
ARMATURE_INSTANTIATE(double)
ARMATURE_INSTANTIATE(Expr)
#undef ARMATURE_INSTANTIATE

}  // namespace armature::codegen
