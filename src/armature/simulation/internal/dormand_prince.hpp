// The explicit pair of orders 5 and 4 of Dormand and Prince, with located events.
#pragma once

#include <array>
#include <limits>

#include "armature/simulation/internal/event_stepper.hpp"

namespace armature::simulation {

/// A one-step method: it has no history to lose, so a restart costs one evaluation and keeps the step size found so far.
/// [Dormand1980]
///
/// An event is located on the method itself: the step is taken again with other lengths until the guard's zero is between
/// two neighbouring times. No interpolation enters the state.
class DormandPrince final : public EventStepper {
 public:
  DormandPrince(int states, int guards, double relative, double absolute, Function rhs, Function guard);
  void restart(double t, const Eigen::VectorXd& x) override;
  /// Where its steps become too short or too many it gives up: t stays before `until`, and no guard is returned.
  const std::vector<int>& advance(double until, double& t, Eigen::VectorXd& x) override;
  /// Evaluations of f that one advance() may take; without it, any number.
  void set_patience(long evaluations) { patience_ = evaluations; }

 private:
  void evaluate(double t, const Eigen::VectorXd& x, Eigen::VectorXd& xd);
  void take(double t, double h, const Eigen::VectorXd& x);  // leaves the new state in y_
  [[nodiscard]] double error(double h, const Eigen::VectorXd& x) const;
  [[nodiscard]] double first_step(const Eigen::VectorXd& x, double longest) const;
  [[nodiscard]] double nearest_guard(double t);
  [[nodiscard]] double length_to_event(double t, double h, const Eigen::VectorXd& x);
  [[nodiscard]] std::vector<double> possible_dips(double t, double h, const Eigen::VectorXd& x);
  [[nodiscard]] double locate(double t, double h, const Eigen::VectorXd& x);

  Function rhs_, guard_;
  double relative_, absolute_;
  double step_ = 0;    // to be tried next [s]; zero: not known yet
  bool fresh_ = true;  // k_[0] is not f(t, x)
  long evaluations_ = 0, patience_ = std::numeric_limits<long>::max();
  std::array<Eigen::VectorXd, 7> k_;
  Eigen::VectorXd y_, middle_;
  std::vector<double> g0_, g_, g_middle_;  // guards at the start of the step, at its end and halfway
  std::vector<int> crossed_;
};

}  // namespace armature::simulation
