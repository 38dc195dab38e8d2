#include "armature/codegen/derive/internal/reduced_mass_matrix.hpp"

#include "armature/codegen/derive/internal/reduced_composite.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::codegen {

//  Composite rigid bodies [Featherstone2008, Table 6.2], with moments instead of inertia tensors: unit acceleration of joint i
//  needs, for the bodies behind it with moments m, h, N about the origin of body i,
//     revolute   f = (-hy, hx, 0),  n = (-Nxz, -Nyz, Nxx + Nyy)        prismatic   f = m d,  n = h × d     (1)
//  which is carried to the joints before it: n <- n + p × f, M_ij = n_3 or f·d.                           (2)
template <Scalar S>
MatX<S> reduced_mass_matrix(const ReducedArm& arm, const Choices& choices, const VecX<S>& q) {
  const std::size_t n = arm.bodies.size();
  const std::vector<Angle<S>> angles = group_angles<S>(arm, q);
  const Vec3<S> zero(S(0.), S(0.), S(0.));
  Composite<S> c;
  MatX<S> M(static_cast<int>(n), static_cast<int>(n));
  for (std::size_t i = n; i-- > 0;) {
    const ReducedBody& body = arm.bodies[i];
    c.add(own_moments<S>(arm, choices, angles, i));

    Vec3<S> d = zero, f, t;
    if (body.revolute) {
      const S sign(body.sign);
      f = Vec3<S>(-sign * c.h[1], sign * c.h[0], S(0.));  // (1)
      t = Vec3<S>(-sign * c.N(0, 2), -sign * c.N(1, 2), sign * (c.N(0, 0) + c.N(1, 1)));
    } else {
      d = slide_of<S>(arm, choices, angles, i);
      f = Vec3<S>(d * c.m);
      t = cross_product<S>(c.h, d);
    }
    for (std::size_t j = i;; --j) {  // (2)
      const auto row = static_cast<int>(i), column = static_cast<int>(j);
      const ReducedBody& at = arm.bodies[j];
      if (at.revolute) {
        M(row, column) = M(column, row) = S(at.sign) * t[2];
      } else {
        const Vec3<S> e = slide_of<S>(arm, choices, angles, j);
        M(row, column) = M(column, row) = dot<S>(e, f);
        t = Vec3<S>(t + cross_product<S>(Vec3<S>(e * q[column]), f));
      }
      if (j == 0) break;
      f = to_previous<S>(arm, choices, angles, j, f);
      t = Vec3<S>(to_previous<S>(arm, choices, angles, j, t) +
                  cross_product<S>(lever_to<S>(arm, choices, angles, j), f));
    }
    if (i == 0) break;
    if (!body.revolute) c.shift(Vec3<S>(d * q[i]));
    c.to_previous_axes(arm, choices, angles, i);
    c.shift(lever_to<S>(arm, choices, angles, i));
  }
  return M;
}

#define ARMATURE_INSTANTIATE(S) template MatX<S> reduced_mass_matrix(const ReducedArm&, const Choices&, const VecX<S>&);
ARMATURE_INSTANTIATE(double)
ARMATURE_INSTANTIATE(Expr)
#undef ARMATURE_INSTANTIATE

}  // namespace armature::codegen
