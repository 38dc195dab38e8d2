// Vectors and matrices of space by their named entries. Compilers keep these in registers, where g++ takes the arrays inside
// Eigen's through memory: the recursion runs in half the time. Every sum is written out in its order, so that all kinds of
// numbers, one state or eight at once, round alike.
#pragma once

#include "armature/model/arm.hpp"
#include "armature/scalar/matrix.hpp"

namespace armature::algorithms {

template <Scalar S>
struct Triple {
  S x, y, z;

  Triple() = default;
  [[gnu::always_inline]] Triple(const S& x_, const S& y_, const S& z_) : x(x_), y(y_), z(z_) {}
  template <class T>
  explicit Triple(const Eigen::Matrix<T, 3, 1>& v) : x(v[0]), y(v[1]), z(v[2]) {}

  [[gnu::always_inline]] Triple& operator+=(const Triple& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  [[gnu::always_inline]] Triple& operator-=(const Triple& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  [[gnu::always_inline]] friend inline Triple operator+(const Triple& a, const Triple& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  [[gnu::always_inline]] friend inline Triple operator-(const Triple& a, const Triple& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  [[gnu::always_inline]] friend inline Triple operator*(const Triple& a, const S& b) {
    return {a.x * b, a.y * b, a.z * b};
  }
  // Friends, so that they hide no namesake on Eigen's vectors.
  [[gnu::always_inline]] friend inline S dot(const Triple& a, const Triple& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }
  [[gnu::always_inline]] friend inline Triple cross(const Triple& a, const Triple& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

/// A matrix by its columns.
template <Scalar S>
struct Columns {
  Triple<S> x, y, z;
};

template <Scalar S, class T>
[[gnu::always_inline]] inline Columns<S> columns(const Eigen::Matrix<T, 3, 3>& A) {
  return {
      {S(A(0, 0)), S(A(1, 0)), S(A(2, 0))}, {S(A(0, 1)), S(A(1, 1)), S(A(2, 1))}, {S(A(0, 2)), S(A(1, 2)), S(A(2, 2))}};
}

/// R v
template <Scalar S>
[[gnu::always_inline]] inline Triple<S> turned(const Columns<S>& R, const Triple<S>& v) {
  return R.x * v.x + R.y * v.y + R.z * v.z;
}
/// Rᵀ v
template <Scalar S>
[[gnu::always_inline]] inline Triple<S> turned_back(const Columns<S>& R, const Triple<S>& v) {
  return {dot(R.x, v), dot(R.y, v), dot(R.z, v)};
}

template <Scalar S>
[[gnu::always_inline]] inline Columns<S> product(const Columns<S>& A, const Columns<S>& B) {
  return {turned(A, B.x), turned(A, B.y), turned(A, B.z)};
}

/// The six different entries of a symmetric matrix.
template <Scalar S>
struct Symmetric {
  S xx, xy, yy, xz, yz, zz;

  Symmetric() = default;
  Symmetric(const S& xx_, const S& xy_, const S& yy_, const S& xz_, const S& yz_, const S& zz_)
      : xx(xx_), xy(xy_), yy(yy_), xz(xz_), yz(yz_), zz(zz_) {}
  template <class T>
  explicit Symmetric(const Eigen::Matrix<T, 3, 3>& A)
      : xx(A(0, 0)), xy(A(0, 1)), yy(A(1, 1)), xz(A(0, 2)), yz(A(1, 2)), zz(A(2, 2)) {}

  [[gnu::always_inline]] friend inline Triple<S> operator*(const Symmetric& A, const Triple<S>& v) {
    return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z,
            A.xz * v.x + A.yz * v.y + A.zz * v.z};
  }
};

/// R A Rᵀ. With A = a 1 + [M u; uᵀ 0], a = A_zz and M two by two, it is a 1 + r M rᵀ + t zᵀ + z tᵀ, where r are the first two
/// columns of R, z is the last and t = r u.
template <Scalar S>
[[gnu::always_inline]] inline Symmetric<S> turned(const Columns<S>& R, const Symmetric<S>& A) {
  const S xx = A.xx - A.zz;
  const S yy = A.yy - A.zz;
  const Triple<S> u = R.x * xx + R.y * A.xy;
  const Triple<S> v = R.x * A.xy + R.y * yy;
  const Triple<S> t = R.x * A.xz + R.y * A.yz;
  return {A.zz + ((u.x * R.x.x + v.x * R.y.x) + (t.x * R.z.x + R.z.x * t.x)),
          (u.x * R.x.y + v.x * R.y.y) + (t.x * R.z.y + R.z.x * t.y),
          A.zz + ((u.y * R.x.y + v.y * R.y.y) + (t.y * R.z.y + R.z.y * t.y)),
          (u.x * R.x.z + v.x * R.y.z) + (t.x * R.z.z + R.z.x * t.z),
          (u.y * R.x.z + v.y * R.y.z) + (t.y * R.z.z + R.z.y * t.z),
          A.zz + ((u.z * R.x.z + v.z * R.y.z) + (t.z * R.z.z + R.z.z * t.z))};
}

/// [dw]× + [w]×²: takes a point of a turning body to its acceleration relative to the body's origin.
template <Scalar S>
[[gnu::always_inline]] inline Columns<S> acceleration_columns(const Triple<S>& w, const Triple<S>& dw) {
  const S xx = w.x * w.x;
  const S yy = w.y * w.y;
  const S zz = w.z * w.z;
  const S xy = w.x * w.y;
  const S xz = w.x * w.z;
  const S yz = w.y * w.z;
  return {{-(yy + zz), xy + dw.z, xz - dw.y}, {xy - dw.z, -(xx + zz), yz + dw.x}, {xz + dw.y, yz - dw.x, -(xx + yy)}};
}

/// R_PB(q) = R_PB0 Rz(q) of a revolute joint; s, c are sine and cosine of q, which a prismatic one does not ask for.
template <Scalar S>
[[gnu::always_inline]] inline Columns<S> joint_axes(const Body& body, const S& s, const S& c) {
  const Columns<S> R = columns<S>(body.X_PB0.R);
  const S sine = body.revolute ? s : S(0);
  const S cosine = body.revolute ? c : S(1);
  return {R.x * cosine + R.y * sine, R.y * cosine - R.x * sine, R.z};
}

/// p_PB(q): the origin of X_PB0, moved along z by a prismatic joint.
template <Scalar S>
[[gnu::always_inline]] inline Triple<S> joint_offset(const Body& body, const S& q) {
  const Triple<S> p(body.X_PB0.p);
  if (body.revolute) return p;
  return p + columns<S>(body.X_PB0.R).z * q;
}

}  // namespace armature::algorithms
