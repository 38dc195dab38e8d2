// A motion at a moment, and what every trajectory offers.
#pragma once

#include <concepts>

#include "armature/scalar/matrix.hpp"

namespace armature::trajectory {

/// Positions, velocities and accelerations of the joints.
struct JointMotion {
  VecX<double> q;    // [rad | m]
  VecX<double> qd;   // [rad/s | m/s]
  VecX<double> qdd;  // [rad/s² | m/s²]
};

/// A trajectory starts at time 0 and lasts `duration`; before and after it stands still at its ends (a periodic one goes on).
template <class T>
concept JointTrajectory = requires(const T& trajectory, double t, JointMotion& motion) {
  { trajectory.duration() } -> std::convertible_to<double>;  // [s]
  { trajectory.joints() } -> std::convertible_to<int>;
  { trajectory.at(t, motion) }
  noexcept->std::same_as<void>;
};

/// Motion of a frame B in space, seen from W.
struct CartesianMotion {
  Vec3<double> position = Vec3<double>::Zero();              // of its origin [m]
  Vec3<double> velocity = Vec3<double>::Zero();              // [m/s]
  Vec3<double> acceleration = Vec3<double>::Zero();          // [m/s²]
  Mat3<double> rotation = Mat3<double>::Identity();          // R_WB
  Vec3<double> angular_velocity = Vec3<double>::Zero();      // in W [rad/s]
  Vec3<double> angular_acceleration = Vec3<double>::Zero();  // in W [rad/s²]
};

/// As a JointTrajectory, in space.
template <class T>
concept CartesianTrajectory = requires(const T& trajectory, double t, CartesianMotion& motion) {
  { trajectory.duration() } -> std::convertible_to<double>;  // [s]
  { trajectory.at(t, motion) }
  noexcept->std::same_as<void>;
};

}  // namespace armature::trajectory
