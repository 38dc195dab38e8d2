// Excitation design: the periodic motion from which an arm's parameters are best identified [Swevers1997], [Kostic2004, IV.C].
//
//   ExcitationTask task = excitation_task(arm, base_columns(arm));
//   const Excitation best = design_excitation(task, {.base_frequency = 0.1, .harmonics = 5});
#pragma once

#include <cstdint>
#include <functional>

#include "armature/core/fields.hpp"
#include "armature/identification/excitation_objective.hpp"

namespace armature::identification {

inline constexpr double largest_regressor = 1e8;  // numbers: 0.8 GB

struct ExcitationSettings {
  double base_frequency = 0.1;  // [Hz]; one period is 1/base_frequency
  int harmonics = 5;
  std::vector<int> joint_harmonics;  // one per joint, at most `harmonics`; empty: as many for all
  int starts = 24;                   // random motions tried with few harmonics
  std::uint64_t seed = 1;
  double rate = 1000;   // samples a second of the stacked regressor that is judged [Hz]
  int effort = 1;       // iterations are multiplied by this
  VecX<double> centre;  // about which the random motions swing; empty: zero, or the middle of the limits
  const std::atomic<bool>* stop = nullptr;  // set from outside: the best motion so far is drawn inside the limits

  /// Those that do not depend on the arm.
  void fields(Fields& f);
};

/// How far a design is.
struct ExcitationProgress {
  std::string stage;  // "start 3 of 24, 5 harmonics"
  double share = 0;   // of the whole work, 0 to 1
  double best = 0;    // criterion of the best motion so far
};

/// An excitation is the motion that was designed, what it is worth, and how far it uses the limits.
struct Excitation {
  FourierCoefficients motion;
  Eigen::VectorXd singular_values;  // of Φ/sqrt(samples), largest first, at settings.rate
  double criterion = 0;             // the one designed for
  double condition = 0;             // σmax/σmin
  LimitUse use;
  long evaluations = 0;  // of the objective with its gradient
  bool stopped = false;  // before the design was finished
  [[nodiscard]] bool within_limits() const { return use.worst() <= 1 && use.workspace <= 0 && use.clearance <= 0; }
};

/// Unscaled, within the arm's limits of position, velocity and acceleration; all cores. complete_limits() gives limits to joints
/// that state none.
ExcitationTask excitation_task(const Arm& arm, ParameterColumns columns);

/// Columns times the size of the arm's own parameters: the standard deviations are then relative ones. A parameter smaller
/// than a hundredth of the largest counts as that.
void scale_by_parameters(ExcitationTask& task);

/// The best motion found: many random starts with few harmonics and a mild criterion, the best of them refined with more and
/// more harmonics and a sharper criterion, then drawn inside the limits for all times. Depends on the settings alone, not on
/// the number of threads. Throws Error where a joint has no limit of velocity or acceleration, and where no motion within the
/// limits is found.
Excitation design_excitation(const ExcitationTask& task, const ExcitationSettings& settings,
                             const std::function<void(const ExcitationProgress&)>& progress = {});

/// What a user should know before a robot plays the motion: a condition number above 100, a joint that uses less than a fifth
/// of its velocity limit and of its range.
std::vector<std::string> excitation_warnings(const Arm& arm, const Excitation& excitation);

/// Singular values, limits and condition of a given motion. Throws Error where the stacked regressor is too large.
Excitation judge_excitation(const ExcitationTask& task, const FourierCoefficients& motion, double rate);

}  // namespace armature::identification

namespace armature {
using identification::Excitation;
}  // namespace armature
