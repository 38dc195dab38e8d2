// Rotations: about an axis, as roll-pitch-yaw, ZYZ Euler angles, quaternions (w x y z) and rotation vectors.
#pragma once

#include <optional>

#include "armature/scalar/matrix.hpp"

namespace armature::spatial {

/// Sine and cosine of a constant angle; exactly 0, ±1 where the angle is a multiple of 90° to rounding, so that the
/// zeros of a robot's geometry are zeros.
struct SinCos {
  double s, c;
};
SinCos exact_sin_cos(double angle);

Mat3<double> rotation_x(double angle);
Mat3<double> rotation_y(double angle);
Mat3<double> rotation_z(double angle);
/// A rotation that takes z to the unit vector `axis`; exact for the principal axes.
Mat3<double> rotation_from_z_to(const Vec3<double>& axis);

/// R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF; rpy = (roll, pitch, yaw).
Mat3<double> rotation_from_rpy(const Vec3<double>& rpy);
/// R = Rz(phi) Ry(theta) Rz(psi); zyz = (phi, theta, psi).
Mat3<double> rotation_from_zyz(const Vec3<double>& zyz);

/// Angles of a rotation, and whether the representation is singular there (two of the angles act about one axis; the
/// last angle is then set to zero).
struct EulerAngles {
  Vec3<double> angles;  // [rad]
  bool singular = false;
};
/// pitch in [-90°, 90°].
EulerAngles rpy_from_rotation(const Mat3<double>& R);
/// theta in [0°, 180°].
EulerAngles zyz_from_rotation(const Mat3<double>& R);

/// Unit quaternion, w first. q and -q are the same rotation.
using Quaternion = Eigen::Matrix<double, 4, 1>;
/// w >= 0.
Quaternion quaternion_from_rotation(const Mat3<double>& R);
/// Of any non-zero quaternion; it is normalized.
Mat3<double> rotation_from_quaternion(const Quaternion& q);

/// Rotation vector (axis times angle, angle in [0, π]) [rad].
Vec3<double> log_map(const Mat3<double>& R);
/// The rotation about `rotation_vector` by its length.
Mat3<double> exp_map(const Vec3<double>& rotation_vector);

/// How far R is from being a rotation: largest entry of |RᵀR - 1|, infinite for a reflection.
double orthogonality_error(const Mat3<double>& R);

/// E with omega = E(angles) d(angles)/dt, for ZYZ and RPY angles; omega in the axes of the frame that R maps into.
/// [Siciliano2009, (3.64)]. Its determinant is -sin(theta), respectively cos(pitch).
template <Scalar S>
Mat3<S> zyz_rate_matrix(const Vec3<S>& zyz) {
  const S sf = sin(zyz[0]), cf = cos(zyz[0]), st = sin(zyz[1]), ct = cos(zyz[1]);
  Mat3<S> E;
  E << S(0), -sf, cf * st, S(0), cf, sf * st, S(1), S(0), ct;
  return E;
}
template <Scalar S>
Mat3<S> rpy_rate_matrix(const Vec3<S>& rpy) {
  const S sp = sin(rpy[1]), cp = cos(rpy[1]), sy = sin(rpy[2]), cy = cos(rpy[2]);
  Mat3<S> E;
  E << cy * cp, -sy, S(0), sy * cp, cy, S(0), -sp, S(0), S(1);
  return E;
}

}  // namespace armature::spatial
