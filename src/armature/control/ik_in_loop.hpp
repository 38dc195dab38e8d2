// Cartesian control by inverse kinematics in the loop: the target is taken to the joints, a joint law does the rest.
#pragma once

#include "armature/algorithms/inverse_kinematics.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

struct IkInLoopSettings {
  IkSettings ik{.max_iterations = 30, .restarts = 0};  // a tick's worth of iterations, from the last solution
  VecX<double>
      speed;  // at which the joint reference moves to the solution, at most; empty: the arm's limit [rad/s | m/s]
  double tolerance = 1e-6;         // beyond which a target counts as unreachable [m, rad]
  std::vector<LawSettings> terms;  // the joint law inside, where it is made from settings

  static constexpr bool sampled = true;

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

/// Finds q_d with f(q_d) = x_r by a few iterations a tick, starting from the last q_d (at reset: from the measured q), and hands it
/// to `joint_law` as its reference; it moves there no faster than `speed`. An unreachable target gives the nearest joint
/// position found and Condition::unreachable. [Tum2019, sec. 2.3, Figure 2]
class IkInLoop : public LawAround {
 public:
  IkInLoop(Arm believed, AnyController joint_law, const IkInLoopSettings& settings = {});
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  Arm believed_;
  IkInLoopSettings settings_;
  VecX<double> solution_;
  Reference joint_;
};
static_assert(Controller<IkInLoop>);

}  // namespace armature::control
