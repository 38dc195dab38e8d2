// Mass, first moment and moments of inertia of a rigid body.
#pragma once

#include "armature/spatial/pose.hpp"

namespace armature::spatial {

/// About the origin of the frame B in which it is given. Adding two inertias in one frame welds the bodies together.
template <Scalar S>
struct Inertia {
  S m = S(0);                      // mass [kg]
  Vec3<S> h = Vec3<S>::Zero();     // first moment m * p_BoBcm_B [kg m]
  Mat3<S> I_Bo = Mat3<S>::Zero();  // inertia tensor about Bo, in B [kg m²]; products carry the tensor's sign

  friend Inertia operator+(const Inertia& a, const Inertia& b) {
    return {a.m + b.m, Vec3<S>(a.h + b.h), Mat3<S>(a.I_Bo + b.I_Bo)};
  }

  template <Scalar T>
  [[nodiscard]] Inertia<T> cast() const {
    return {T(m), h.template cast<T>(), I_Bo.template cast<T>()};
  }
};

/// The ten parameters of a body, in the project's order: m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
template <Scalar S>
using InertiaParameters = Eigen::Matrix<S, 10, 1>;

template <Scalar S>
InertiaParameters<S> parameters(const Inertia<S>& a) {
  InertiaParameters<S> p;
  p << a.m, a.h[0], a.h[1], a.h[2], a.I_Bo(0, 0), a.I_Bo(0, 1), a.I_Bo(1, 1), a.I_Bo(0, 2), a.I_Bo(1, 2), a.I_Bo(2, 2);
  return p;
}

template <Scalar S>
Inertia<S> inertia_from_parameters(const InertiaParameters<S>& p) {
  Inertia<S> a;
  a.m = p[0];
  a.h << p[1], p[2], p[3];
  a.I_Bo << p[4], p[5], p[7], p[5], p[6], p[8], p[7], p[8], p[9];
  return a;
}

/// m (pᵀp 1 - p pᵀ): the inertia about the origin of a point mass at p.
template <Scalar S>
Mat3<S> point_mass_inertia(const S& m, const Vec3<S>& p) {
  Mat3<S> I;
  I << p[1] * p[1] + p[2] * p[2], -p[0] * p[1], -p[0] * p[2],  //
      -p[0] * p[1], p[0] * p[0] + p[2] * p[2], -p[1] * p[2],   //
      -p[0] * p[2], -p[1] * p[2], p[0] * p[0] + p[1] * p[1];
  return Mat3<S>(I * m);
}

/// From the centre of mass and the inertia tensor about it, both in B.
template <Scalar S>
Inertia<S> inertia_about_com(const S& m, const Vec3<S>& p_BoBcm, const Mat3<S>& I_Bcm) {
  return {m, Vec3<S>(p_BoBcm * m), Mat3<S>(I_Bcm + point_mass_inertia<S>(m, p_BoBcm))};
}

/// The same body seen from frame A, where X_AB is the pose of B in A. Linear in the inertia; valid for m = 0.
///   h_A = R h + m p,   I_A = R I Rᵀ + 2 (p·Rh) 1 - p (Rh)ᵀ - (Rh) pᵀ + m (p·p 1 - p pᵀ)
template <Scalar S>
Inertia<S> seen_from(const Pose<S>& X_AB, const Inertia<S>& a) {
  const Vec3<S> Rh = X_AB.R * a.h;
  const Vec3<S>& p = X_AB.p;
  const S twice = S(2) * (p[0] * Rh[0] + p[1] * Rh[1] + p[2] * Rh[2]);
  Mat3<S> mixed = -(p * Rh.transpose() + Rh * p.transpose());
  for (int k = 0; k < 3; ++k) mixed(k, k) += twice;
  return {a.m, Vec3<S>(Rh + p * a.m),
          Mat3<S>(X_AB.R * a.I_Bo * X_AB.R.transpose() + mixed + point_mass_inertia<S>(a.m, p))};
}

/// The tensor about the centre of mass, in B. Needs m != 0.
template <Scalar S>
Mat3<S> central_inertia(const Inertia<S>& a) {
  return a.I_Bo - point_mass_inertia<S>(S(1) / a.m, a.h);
}

/// What is impossible about a body, if anything: mass not positive, tensor about the centre of mass not positive
/// definite, or its principal moments break the triangle inequality. Equivalent to a positive-definite pseudo-inertia
/// [Wensing2018], up to equality in the triangle inequality, which a flat body has.
struct BodyVerdict {
  bool mass_positive = true;
  bool positive_definite = true;
  bool triangle_inequality = true;
  Vec3<double> principal_moments = Vec3<double>::Zero();  // about the centre of mass, ascending [kg m²]
  [[nodiscard]] bool possible() const { return mass_positive && positive_definite && triangle_inequality; }
};
BodyVerdict judge_body(const Inertia<double>& inertia);

}  // namespace armature::spatial
