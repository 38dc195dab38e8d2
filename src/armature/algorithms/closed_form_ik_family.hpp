// Arms whose inverse kinematics has a closed form, known by where their axes lie.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>

#include "armature/model/arm.hpp"

namespace armature::algorithms {

// A family is described in frames of its own: its base frame 0, its last frame N and joint variables theta. An arm of the
// family is tied to them by two constant poses and, for each joint, theta = sign q + offset.

/// Anthropomorphic arm, position task, 4 branches. Axis 1 is z of frame 0; axis 2 lies across it, along -y when
/// theta1 = 0; axis 3 is parallel to axis 2. The tool is at
///     Rz(theta1) (a1 + a2 cos theta2 + a3 cos(theta2 + theta3), -d, a2 sin theta2 + a3 sin(theta2 + theta3)).
template <Scalar S>
struct RrrGeometry {
  S a1, a2, a3;  // [m]
  S d;           // shift of the tool along axis 2 [m]
};

/// Three parallel axes, pose task (in the plane), 2 branches. Frame N is at
///     l1 (cos theta1, sin theta1, 0) + l2 (cos(theta1 + theta2), sin(theta1 + theta2), 0), turned by the sum of the angles.
template <Scalar S>
struct Planar3rGeometry {
  S l1, l2;  // [m]
};

/// Turning, sliding across, turning about the slide; position task, 4 branches. The tool is at
///     Rz(theta1) (a2 + a4 cos theta3, theta2, -a4 sin theta3);   theta2 is a length.
template <Scalar S>
struct RprGeometry {
  S a2, a4;  // [m]
};

/// Six axes of which the last three meet at right angles; pose task, 8 branches. Frame N is at the wrist's centre, where
/// an RRR arm has its tool, and turned by  Rz(theta1) Ry(-(theta2 + theta3 + tilt)) R_FH Rz(theta4) Ry(theta5) Rz(theta6).
template <Scalar S>
struct SphericalWristGeometry {
  RrrGeometry<S> arm;  // to the wrist's centre
  S tilt;              // of the forearm against the line from elbow to wrist [rad]
  Mat3<S> R_FH;        // the hand in the forearm when theta4 = 0
};

/// Axes 2, 3 and 4 parallel, 5 across 4, 6 meeting 5 at a right angle; pose task, 8 branches. With psi = theta2 + theta3 +
/// theta4 the origin of frame N, where axes 5 and 6 meet, is where an RRR arm has its tool, plus
/// d5 (cos psi, sin psi) + a4 (-sin psi, cos psi) in the x-z plane of the arm; axis 5 points along (cos psi, sin psi),
/// theta5 is the angle from axis 4 to axis 6.
template <Scalar S>
struct UrGeometry {
  RrrGeometry<S> arm;  // to axis 4; d up to the origin of frame N
  S a4, d5;            // [m]
};

template <Scalar S>
using IkGeometry =
    std::variant<RrrGeometry<S>, Planar3rGeometry<S>, RprGeometry<S>, SphericalWristGeometry<S>, UrGeometry<S>>;

struct IkFamily {
  struct JointAngle {
    double sign = 1, offset = 0;  // theta = sign q + offset
  };

  IkGeometry<double> geometry;
  std::array<JointAngle, 6> joints;
  Pose<double> X_0W;  // the world in the family's base frame
  Pose<double> X_TN;  // the family's last frame in the tool's (pose tasks)
  double misfit = 0;  // how far the arm is from the family: angles [rad], lengths over the arm's size [-]

  [[nodiscard]] int branches() const;
  /// Else the target is a full pose.
  [[nodiscard]] bool position_only() const;
  [[nodiscard]] std::string_view name() const;
  /// The arm is of the family but for rounding: what closed_form_branch gives needs no correction.
  [[nodiscard]] bool exact() const { return misfit < 1e-12; }
};

/// The family of an arm, found from its axes at q = 0 alone: base, tool, zero positions and notation are free. Arms that
/// miss a family by less than 1e-5, as those written with 1.5708 for a right angle, are of the family (see misfit).
/// Nothing where no closed form is known here; such arms have inverse_kinematics.hpp. Allocates nothing.
std::optional<IkFamily> closed_form_family(const Arm& arm);

}  // namespace armature::algorithms
