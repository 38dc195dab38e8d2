// Every joint position of a seven-axis arm that brings the tool to a pose, in closed form: a family of curves, of which one
// number, the redundancy, picks a point each.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "armature/algorithms/closed_form_ik.hpp"

namespace armature::algorithms {

/// Seven revolute axes. The first three meet in the shoulder. The last three meet in the wrist, or 5 and 6 do and axis 7 lies
/// apart; axis 4, the elbow, may lie anywhere (iiwa: all on one line when stretched; Panda: elbow and axis 7 apart).
struct RedundantFamily {
  std::array<Vec3<double>, 7> axis;  // directions in the world at q = 0
  Vec3<double> shoulder, wrist;      // where axes meet, in the world at q = 0
  Vec3<double> elbow, last;          // points on axes 4 and 7
  Pose<double> X_TW;                 // the world in the tool at q = 0
  bool spherical_wrist = true;
  double misfit = 0;  // how far the arm is from the family: angles [rad], lengths over the arm's size [-]

  static constexpr int branches = 8;

  /// What the redundancy is: the arm angle where the wrist is spherical, else the position of joint 7.
  [[nodiscard]] std::string_view redundancy() const { return spherical_wrist ? "arm angle" : "position of joint 7"; }
  [[nodiscard]] std::string_view name() const {
    return spherical_wrist ? "7R with spherical shoulder and wrist" : "7R with spherical shoulder";
  }
};

/// Found from the arm's axes at q = 0 alone, to 1e-5 (see IkFamily::misfit). Nothing for other arms. Allocates nothing.
std::optional<RedundantFamily> redundant_family(const Arm& arm);

/// The redundancy at q [rad]. The arm angle turns the elbow about the line from shoulder to wrist; it is zero where axis 4 points
/// along axis 1 × that line (along axis 2 of q = 0, × that line, where both are parallel), that is, where the arm lies in a plane with axis 1.
double redundancy_at(const RedundantFamily& family, const VecX<double>& q);

/// All solutions with the redundancy as given: at most eight, each tried by forward kinematics to 1e-9. `near` and the wrapping into
/// limits are those of closed_form_ik. Allocates nothing.
IkSolutions redundant_ik(const Arm& arm, const RedundantFamily& family, const Pose<double>& target, double redundancy,
                         const VecX<double>& near = {});

}  // namespace armature::algorithms
