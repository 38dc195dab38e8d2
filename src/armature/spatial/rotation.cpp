#include "armature/spatial/rotation.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "armature/core/units.hpp"
#include "armature/spatial/pose.hpp"

namespace armature::spatial {

SinCos exact_sin_cos(double angle) {
  const double quarters = angle / (pi / 2);
  const double nearest = std::nearbyint(quarters);
  if (std::abs(quarters) < 1e6 && std::abs(quarters - nearest) < 4e-16 * std::max(1.0, std::abs(nearest))) {
    const int k = static_cast<int>(std::fmod(nearest, 4.0)) & 3;
    return {k == 1 ? 1.0 : k == 3 ? -1.0 : 0.0, k == 0 ? 1.0 : k == 2 ? -1.0 : 0.0};
  }
  return {std::sin(angle), std::cos(angle)};
}

Mat3<double> rotation_x(double angle) {
  const auto [s, c] = exact_sin_cos(angle);
  Mat3<double> R;
  R << 1, 0, 0, 0, c, -s, 0, s, c;
  return R;
}

Mat3<double> rotation_y(double angle) {
  const auto [s, c] = exact_sin_cos(angle);
  Mat3<double> R;
  R << c, 0, s, 0, 1, 0, -s, 0, c;
  return R;
}

Mat3<double> rotation_z(double angle) {
  const auto [s, c] = exact_sin_cos(angle);
  Mat3<double> R;
  R << c, -s, 0, s, c, 0, 0, 0, 1;
  return R;
}

Mat3<double> rotation_from_z_to(const Vec3<double>& axis) {
  if (axis[2] < 0) {  // turn half round about x first
    const Mat3<double> half_turn = rotation_x(pi);
    return half_turn * rotation_from_z_to(half_turn * axis);
  }
  const Mat3<double> V = skew<double>(Vec3<double>(-axis[1], axis[0], 0));  // z × axis
  return Mat3<double>::Identity() + V + V * V / (1 + axis[2]);              // Rodrigues
}

Mat3<double> rotation_from_rpy(const Vec3<double>& rpy) {
  return rotation_z(rpy[2]) * rotation_y(rpy[1]) * rotation_x(rpy[0]);
}

Mat3<double> rotation_from_zyz(const Vec3<double>& zyz) {
  return rotation_z(zyz[0]) * rotation_y(zyz[1]) * rotation_z(zyz[2]);
}

namespace {
constexpr double singular_below = 1e-10;  // |cos pitch| or |sin theta|
}

// The angle that is read last is read from R with the other one undone; so the product of the three rotations is R to
// rounding even where two of them nearly share an axis and neither is well known.
EulerAngles rpy_from_rotation(const Mat3<double>& R) {
  const double cp = std::hypot(R(0, 0), R(1, 0));
  const double pitch = std::atan2(-R(2, 0), cp);
  const bool singular = cp < singular_below;
  const double yaw = singular ? 0 : std::atan2(R(1, 0), R(0, 0));
  const double sy = std::sin(yaw), cy = std::cos(yaw);
  return {{std::atan2(sy * R(0, 2) - cy * R(1, 2), cy * R(1, 1) - sy * R(0, 1)), pitch, yaw}, singular};
}

EulerAngles zyz_from_rotation(const Mat3<double>& R) {
  const double st = std::hypot(R(0, 2), R(1, 2));
  const double theta = std::atan2(st, R(2, 2));
  const bool singular = st < singular_below;
  const double psi = singular ? 0 : std::atan2(R(2, 1), -R(2, 0));
  const double s = std::sin(psi), c = std::cos(psi);
  return {{std::atan2(-(R(0, 0) * s + R(0, 1) * c), R(1, 0) * s + R(1, 1) * c), theta, psi}, singular};
}

Quaternion quaternion_from_rotation(const Mat3<double>& R) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(R).normalized();
  const Quaternion wxyz(q.w(), q.x(), q.y(), q.z());
  return wxyz[0] < 0 ? Quaternion(-wxyz) : wxyz;
}

Mat3<double> rotation_from_quaternion(const Quaternion& q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

Vec3<double> log_map(const Mat3<double>& R) {
  const Quaternion q = quaternion_from_rotation(R);
  const double sine = q.tail<3>().norm();  // of half the angle, >= 0
  if (sine < 1e-10) return 2 * q.tail<3>();
  return q.tail<3>() * (2 * std::atan2(sine, q[0]) / sine);
}

Mat3<double> exp_map(const Vec3<double>& rotation_vector) {
  const double half = rotation_vector.norm() / 2;
  const double scale = half < 1e-10 ? 0.5 : std::sin(half) / (2 * half);
  const Vec3<double> v = rotation_vector * scale;
  return rotation_from_quaternion(Quaternion(std::cos(half), v[0], v[1], v[2]));
}

double orthogonality_error(const Mat3<double>& R) {
  if (!(R.determinant() > 0)) return std::numeric_limits<double>::infinity();
  return (R.transpose() * R - Mat3<double>::Identity()).cwiseAbs().maxCoeff();
}

}  // namespace armature::spatial
