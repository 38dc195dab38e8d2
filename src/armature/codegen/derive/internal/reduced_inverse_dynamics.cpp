#include "armature/codegen/derive/internal/reduced_inverse_dynamics.hpp"

#include "armature/codegen/derive/internal/reduced_composite.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::codegen {
namespace {

// The last part of (1); `plane` is the constant N11 + N22.
template <Scalar S>
Vec3<S> moment_of_second_moments(const BodyMotion<S>& b, const Mat3<S>& N, const S& plane) {
  const Mat3<S>& U = b.U;
  const S &x = b.w[0], &y = b.w[1], &z = b.w[2];
  const S x2 = x * x, y2 = y * y, z2 = z * z;
  return {U(2, 0) * N(0, 1) + U(2, 1) * N(1, 1) + (z2 - y2) * N(1, 2) - U(1, 0) * N(0, 2) - U(1, 2) * N(2, 2),
          (x2 - z2) * N(0, 2) - U(2, 0) * N(0, 0) - U(2, 1) * N(0, 1) + U(0, 1) * N(1, 2) + U(0, 2) * N(2, 2),
          b.dz * plane + x * y * (N(0, 0) - N(1, 1)) + (y2 - x2) * N(0, 1) + U(1, 2) * N(0, 2) - U(0, 2) * N(1, 2)};
}

}  // namespace

//  With the moments m, h, N of the body about its origin, and C the body behind it:
//     f = m a + U h,   n = h × a + sum_k e_k × U N e_k                                               (1)
//     F = f + F_C,     n = n + N_C + p_C × F_C                                                       (2)
//     tau = n_3 or F·slide                                                                           (3)
//  In the axes of the body's group N is turned by the angle.
template <Scalar S>
std::vector<Force<S>> reduced_forces(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                     const ArmMotion<S>& motion) {
  std::vector<Force<S>> forces(arm.bodies.size());
  const Vec3<S> zero(S(0.), S(0.), S(0.));
  Force<S> behind{zero, zero};
  for (std::size_t i = forces.size(); i-- > 0;) {
    const ReducedBody& body = arm.bodies[i];
    const BodyMotion<S>& b = motion.bodies[i];
    const Composite<S> M = body_moments<S>(arm, i);
    const Mat3<S>& N0 = M.N;
    const S plane = M.N(0, 0) + M.N(1, 1);
    Vec3<S> h = M.h, n_N;
    if (choices[i].own_axes) {
      n_N = moment_of_second_moments<S>(b, N0, plane);
    } else {
      h = turned<S>(motion.angle[i], h);
      n_N = moment_of_second_moments<S>(b, turned<S>(motion.angle[i], N0), plane);
    }
    Force<S>& total = forces[i];
    total.f = Vec3<S>(behind.f + b.U * h + b.a * M.m);  // (1), (2)
    total.n = Vec3<S>(behind.n + cross_product<S>(h, b.a) + n_N);
    if (i == 0) break;
    behind = total;
    if (!body.revolute) behind.n = Vec3<S>(behind.n + cross_product<S>(Vec3<S>(motion.slide[i] * q[i]), behind.f));
    behind.f = to_previous<S>(arm, choices, motion.angle, i, behind.f);
    behind.n =
        Vec3<S>(to_previous<S>(arm, choices, motion.angle, i, behind.n) + cross_product<S>(motion.lever[i], behind.f));
  }
  return forces;
}

template <Scalar S>
VecX<S> reduced_inverse_dynamics(const ReducedArm& arm, const Choices& choices, const VecX<S>& q,
                                 const ArmMotion<S>& motion) {
  const std::vector<Force<S>> forces = reduced_forces<S>(arm, choices, q, motion);
  VecX<S> tau(static_cast<int>(forces.size()));
  for (std::size_t i = 0; i < forces.size(); ++i)  // (3)
    tau[i] = arm.bodies[i].revolute ? S(arm.bodies[i].sign) * forces[i].n[2] : dot<S>(motion.slide[i], forces[i].f);
  return tau;
}

#define ARMATURE_INSTANTIATE(S)                                                                    \
  template std::vector<Force<S>> reduced_forces(const ReducedArm&, const Choices&, const VecX<S>&, \
                                                const ArmMotion<S>&);                              \
  template VecX<S> reduced_inverse_dynamics(const ReducedArm&, const Choices&, const VecX<S>&, const ArmMotion<S>&);
ARMATURE_INSTANTIATE(double)
ARMATURE_INSTANTIATE(Expr)
#undef ARMATURE_INSTANTIATE

}  // namespace armature::codegen
