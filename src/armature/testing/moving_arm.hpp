// A rigid arm that moves under torques: the plainest plant, for tests of rooms that may not see the plant.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature::testing {

/// M qdd + c + g + friction = tau + Jᵀ w, by classical Runge–Kutta steps.
class MovingArm {
 public:
  using Torque = std::function<void(double t, const VecX<double>& q, const VecX<double>& qd, VecX<double>& tau)>;
  /// On the tool, from where it is and how it moves; world axes.
  using Wrench = std::function<Vec6<double>(double t, const Pose<double>& X_WT, const Vec6<double>& twist)>;

  MovingArm(Arm true_arm, const VecX<double>& position, bool with_friction = false);
  /// One step with a torque that follows the state, or one that is held.
  void step(double h, const Torque& torque);
  void step(double h, const VecX<double>& held);

  Arm arm;
  VecX<double> q, qd;
  double t = 0;        // [s]
  Wrench wrench;       // none: nothing touches the tool
  VecX<double> extra;  // joint torques from outside; empty: none
  [[nodiscard]] Pose<double> tool() const;
  [[nodiscard]] Vec6<double> tool_twist() const;
  [[nodiscard]] Vec6<double> tool_wrench() const { return tool_wrench(q, qd); }
  [[nodiscard]] Vec6<double> tool_wrench(const VecX<double>& position, const VecX<double>& speed) const;
  /// Under this torque, now.
  [[nodiscard]] VecX<double> acceleration(const VecX<double>& tau) const;

 private:
  void rate(double at, const VecX<double>& position, const VecX<double>& speed, const VecX<double>& tau,
            VecX<double>& qdd) const;
  bool friction_;
};

/// Eigenvalues of the closed loop about rest at q, linearized by central differences; ascending by real part.
std::vector<std::complex<double>> closed_loop_poles(const MovingArm& plant, const MovingArm::Torque& torque);

}  // namespace armature::testing
