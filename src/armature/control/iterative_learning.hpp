// Iterative learning: a torque that gets better each time the same motion is made.
#pragma once

#include "armature/control/law_settings.hpp"

namespace armature::control {

struct IterativeLearningSettings {
  int ticks = 0;          // of one trial; zero: as many as `trial` lasts
  double trial = 1;       // how long one lasts, where the law is made for a loop of a known tick [s]
  VecX<double> kp, kd;    // learning gains on the errors of position and speed [N m/rad], [N m s/rad]
  int lead = 1;           // ticks by which the error trails the torque that caused it
  int smoothing = 0;      // half width of the triangular, zero-phase filter Q; 0: none [ticks]
  double forgetting = 0;  // share of the learned torque that is dropped each trial [-]

  static constexpr bool sampled = true;

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

/// u_{j+1}(k) = Q[(1 - forgetting) u_j(k) + kp e_j(k + lead) + kd ed_j(k + lead)]      [Arimoto1984]
///
/// A term: add it to a law that stabilizes the arm. The first trial's u is zero. reset() begins a trial; one that was run to its
/// end is learned from, one that was cut short is not. A tick does a constant amount of work: the next trial's torque is built up
/// while this one runs. After its last tick it returns zero.
class IterativeLearning : public Law {
 public:
  IterativeLearning(const Arm& believed, const IterativeLearningSettings& settings);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  /// Trials learned from so far.
  [[nodiscard]] int trials() const { return trials_; }

 private:
  VecX<double> smoothed(int k) const noexcept;
  IterativeLearningSettings settings_;
  std::vector<VecX<double>> now_, raw_, next_;
  int tick_ = 0, trials_ = 0;
};
static_assert(Controller<IterativeLearning>);

}  // namespace armature::control
