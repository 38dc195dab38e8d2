// The loop in which flexible dynamics are measured, and what it should show.
#pragma once

#include "armature/control/computed_torque.hpp"
#include "armature/identification/frf.hpp"
#include "armature/identification/tuning.hpp"
#include "kostic2004/laboratory.hpp"

namespace armature::studies::kostic2004 {

/// Feedback linearization (25) with r = qdd_r + F(kd ed + kp e) (27), ed from differences; friction is compensated at the
/// reference's speed. Reports r as its part "linear.acceleration".
AnyController linearized_loop(const Arm& believed, const ComputedTorqueSettings& feedback);
/// The feedback that was tuned joint by joint.
ComputedTorqueSettings tuned_feedback(const std::vector<LoopController>& controllers);

/// r_i to q_i of the true plant, the other joints locked, sampled with its hold: what (29) should find.
class TruePlant {
 public:
  TruePlant(const Laboratory& locked, const Arm& believed, const VecX<double>& q, int joint, double speed);
  [[nodiscard]] std::complex<double> response(double frequency) const;
  /// Poles [Hz, damping] with an imaginary part.
  [[nodiscard]] std::vector<std::pair<double, double>> modes() const;

 private:
  Eigen::MatrixXd A_;  // sampled plant: torque to driven joint
  Eigen::VectorXd B_, C_;
  double D_ = 1, Nq_ = 0, Nv_ = 0;  // of the linearizing law: torque = D r + Nq q + Nv (q - last q)/tick
};

}  // namespace armature::studies::kostic2004
