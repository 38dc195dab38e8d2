#include "armature/codegen/reduced_mass_matrix.hpp"

#include "armature/codegen/turning.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature {
namespace {

// Moments of a body and all behind it.
template <Scalar S>
struct Composite {
  S m;
  Vec3<S> h;
  Mat3<S> N;
};

template <Scalar S>
void shift(Composite<S>& c, const Vec3<S>& p) {  // the origin by -p
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      c.N(i, j) = c.N(j, i) = c.N(i, j) + (c.h[i] * p[j] + p[i] * c.h[j] + c.m * (p[i] * p[j]));
  c.h = Vec3<S>(c.h + p * c.m);
}

// As to_previous() for vectors.
template <Scalar S>
Mat3<S> to_previous(const ReducedArm& arm, const Choices& choices, const std::vector<Angle<S>>& angles, std::size_t i,
                    Mat3<S> N) {
  if (choices[i].own_axes) N = turned<S>(angles[i], N);
  const auto back = [](const Angle<S>& t) { return Angle<S>{t.c, -t.s}; };
  if (arm.bodies[i].first_of_group) {
    const Mat3<S> R = arm.bodies[i].R_PG.template cast<S>();
    N = Mat3<S>(R * N * R.transpose());
    return choices[i - 1].own_axes ? N : turned<S>(angles[i - 1], N);
  }
  return choices[i - 1].own_axes ? turned<S>(back(angles[i - 1]), N) : N;
}

}  // namespace

//  Composite rigid bodies [Featherstone2008, Table 6.2], with moments instead of inertia tensors: unit acceleration of joint i
//  needs, for the bodies behind it with moments m, h, N about the origin of body i,
//     revolute   f = (-hy, hx, 0),  n = (-Nxz, -Nyz, Nxx + Nyy)        prismatic   f = m d,  n = h × d     (1)
//  which is carried to the joints before it: n <- n + p × f, M_ij = n_3 or f·d.                           (2)
template <Scalar S>
MatX<S> reduced_mass_matrix(const ReducedArm& arm, const Choices& choices, const VecX<S>& q) {
  const std::size_t n = arm.bodies.size();
  const std::vector<Angle<S>> angles = group_angles<S>(arm, q);
  const Vec3<S> zero(S(0.), S(0.), S(0.));
  Composite<S> c{S(0.), zero, Mat3<S>::Constant(S(0.))};
  MatX<S> M(static_cast<int>(n), static_cast<int>(n));
  for (std::size_t i = n; i-- > 0;) {
    const ReducedBody& body = arm.bodies[i];
    Vec3<S> h = numbers<S>(body.moments.h);
    Mat3<S> N = body.moments.N.template cast<S>();
    if (!choices[i].own_axes) {
      h = turned<S>(angles[i], h);
      N = turned<S>(angles[i], N);
    }
    c.m = c.m + S(body.moments.m);
    c.h = Vec3<S>(c.h + h);
    c.N = Mat3<S>(c.N + N);

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
        M(row, column) = M(column, row) = e[0] * f[0] + e[1] * f[1] + e[2] * f[2];
        t = Vec3<S>(t + cross_product<S>(Vec3<S>(e * q[column]), f));
      }
      if (j == 0) break;
      f = to_previous<S>(arm, choices, angles, j, f);
      t = Vec3<S>(to_previous<S>(arm, choices, angles, j, t) +
                  cross_product<S>(lever_to<S>(arm, choices, angles, j), f));
    }
    if (i == 0) break;
    if (!body.revolute) shift<S>(c, Vec3<S>(d * q[static_cast<int>(i)]));
    c.h = to_previous<S>(arm, choices, angles, i, c.h);
    c.N = to_previous<S>(arm, choices, angles, i, c.N);
    shift<S>(c, lever_to<S>(arm, choices, angles, i));
  }
  return M;
}

#define ARMATURE_INSTANTIATE(S) template MatX<S> reduced_mass_matrix(const ReducedArm&, const Choices&, const VecX<S>&);
ARMATURE_INSTANTIATE(double)
ARMATURE_INSTANTIATE(Expr)

}  // namespace armature
