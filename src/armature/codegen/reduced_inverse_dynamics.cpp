#include "armature/codegen/reduced_inverse_dynamics.hpp"

#include "armature/codegen/turning.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature {
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
//  With the moments m, h, N of the body about its origin:
//
//     f = m a + U h,   n = h × a + sum_k e_k × U N e_k                                               (5)
//     F = f + F_C,     n = n + N_C + p_C × F_C,    tau = n_3 or F·slide                              (6)
//
//  The equations of a body are written in its own axes or in those of its group; there N is turned by the angle instead.
template <Scalar S>
struct Motion {
  Vec3<S> w;     // angular velocity
  S dx, dy, dz;  // angular acceleration
  Vec3<S> a;     // acceleration of the origin less gravity
  Mat3<S> U;
};

template <Scalar S>
void fill(Motion<S>& b, const Vec3<S>& u) {
  const S &x = b.w[0], &y = b.w[1], &z = b.w[2];
  const S xz = x * z, yz = y * z, xy = x * y;
  b.dy = u[0] - xz;
  b.dx = yz - u[1];
  b.U << -(y * y + z * z), xy - b.dz, u[0],  //
      xy + b.dz, -(x * x + z * z), u[1],     //
      xz - b.dy, yz + b.dx, u[2];
}

// The last part of (5); `plane` is the constant N11 + N22.
template <Scalar S>
Vec3<S> moment_of_second_moments(const Motion<S>& b, const Mat3<S>& N, const S& plane) {
  const Mat3<S>& U = b.U;
  const S &x = b.w[0], &y = b.w[1], &z = b.w[2];
  const S x2 = x * x, y2 = y * y, z2 = z * z;
  return {U(2, 0) * N(0, 1) + U(2, 1) * N(1, 1) + (z2 - y2) * N(1, 2) - U(1, 0) * N(0, 2) - U(1, 2) * N(2, 2),
          (x2 - z2) * N(0, 2) - U(2, 0) * N(0, 0) - U(2, 1) * N(0, 1) + U(0, 1) * N(1, 2) + U(0, 2) * N(2, 2),
          b.dz * plane + x * y * (N(0, 0) - N(1, 1)) + (y2 - x2) * N(0, 1) + U(1, 2) * N(0, 2) - U(0, 2) * N(1, 2)};
}

}  // namespace

template <Scalar S>
TracedTorques<S> reduced_inverse_dynamics(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                          const VecX<S>& qd, const VecX<S>& qdd) {
  const std::size_t n = arm.bodies.size();
  TracedTorques<S> result;
  result.tau.resize(static_cast<int>(n));
  std::vector<Motion<S>> motion(n);
  const std::vector<Angle<S>> angle = group_angles<S>(arm, q);
  std::vector<Vec3<S>> lever(n);  // from the previous origin to this one, in the previous body's axes of equations
  std::vector<Vec3<S>> slide(n);  // in the axes of equations

  const Vec3<S> zero(S(0.), S(0.), S(0.));
  Motion<S> previous{zero, S(0.), S(0.), S(0.), numbers<S>(-arm.gravity), Mat3<S>::Constant(S(0.))};
  Angle<S> previous_angle{S(1.), S(0.)};
  bool previous_own = true;
  Vec3<S> w_G = zero, u_G = zero;  // of the body before the group, in the group's axes
  S dz_G = S(0.), omega = S(0.), alpha = S(0.);

  for (std::size_t i = 0; i < n; ++i) {
    const ReducedBody& body = arm.bodies[i];
    const bool own = choices[i].own_axes;
    const auto k = static_cast<int>(i);
    lever[i] = lever_to<S>(arm, choices, angle, i);
    Vec3<S> a = previous.a + previous.U * lever[i];
    if (body.first_of_group) {
      if (!previous_own) {
        const Vec3<S> u = turned_back<S>(previous_angle, Vec3<S>(previous.U.col(2)));
        previous.w = turned_back<S>(previous_angle, previous.w);
        fill<S>(previous, u);
        a = turned_back<S>(previous_angle, a);
      }
      const Mat3<S> R = body.R_PG.transpose().template cast<S>();
      const Vec3<S> axis = numbers<S>(Vec3<double>(body.R_PG.col(2)));
      w_G = R * previous.w;
      u_G = R * Vec3<S>(previous.U * axis);
      dz_G = axis[0] * previous.dx + axis[1] * previous.dy + axis[2] * previous.dz;
      a = Vec3<S>(R * a);
      omega = alpha = S(0.);
    } else if (previous_own) {
      a = turned<S>(previous_angle, a);
    }
    const S speed = S(body.sign) * qd[k], acceleration = S(body.sign) * qdd[k];
    if (body.revolute) {
      omega = omega + speed;
      alpha = alpha + acceleration;
      result.kept.push_back(omega);
      result.kept.push_back(alpha);
    }

    Motion<S>& b = motion[i];
    b.w = Vec3<S>(w_G[0], w_G[1], w_G[2] + omega);
    b.dz = dz_G + alpha;
    Vec3<S> u = u_G;
    if (own) {
      b.w = turned_back<S>(angle[i], b.w);
      u = turned_back<S>(angle[i], u);
      a = turned_back<S>(angle[i], a);
    }
    fill<S>(b, u);
    b.a = a;
    if (!body.revolute) {
      slide[i] = slide_of<S>(arm, choices, angle, i);
      const Vec3<S> coriolis = cross_product<S>(b.w, slide[i]), centripetal = b.U * slide[i];
      for (int j = 0; j < 3; ++j)
        b.a[j] = b.a[j] + centripetal[j] * q[k] + (speed + speed) * coriolis[j] + slide[i][j] * acceleration;
    }
    previous = b;
    previous_angle = angle[i];
    previous_own = own;
  }

  Vec3<S> F = zero, N = zero;
  for (std::size_t i = n; i-- > 0;) {
    const ReducedBody& body = arm.bodies[i];
    const bool own = choices[i].own_axes;
    const auto k = static_cast<int>(i);
    const Motion<S>& b = motion[i];
    const Moments& M = body.moments;
    const Mat3<S> N0 = M.N.template cast<S>();
    const S plane = S(M.N(0, 0) + M.N(1, 1));
    Vec3<S> h = numbers<S>(M.h), n_N;
    if (own) {
      n_N = moment_of_second_moments<S>(b, N0, plane);
    } else {
      h = turned<S>(angle[i], h);
      n_N = moment_of_second_moments<S>(b, turned<S>(angle[i], N0), plane);
    }
    F = Vec3<S>(F + b.U * h + b.a * S(M.m));  // (5), (6)
    N = Vec3<S>(N + cross_product<S>(h, b.a) + n_N);
    if (body.revolute) {
      result.tau[k] = S(body.sign) * N[2];
    } else {
      result.tau[k] = slide[i][0] * F[0] + slide[i][1] * F[1] + slide[i][2] * F[2];
      N = Vec3<S>(N + cross_product<S>(Vec3<S>(slide[i] * q[k]), F));
    }
    if (i == 0) break;
    F = to_previous<S>(arm, choices, angle, i, F);
    N = Vec3<S>(to_previous<S>(arm, choices, angle, i, N) + cross_product<S>(lever[i], F));
  }
  return result;
}

#define ARMATURE_INSTANTIATE(S)                                                                         \
  template TracedTorques<S> reduced_inverse_dynamics(const ReducedArm&, const Choices&, const VecX<S>&, \
                                                     const VecX<S>&, const VecX<S>&);
ARMATURE_INSTANTIATE(double)
ARMATURE_INSTANTIATE(Expr)

}  // namespace armature
