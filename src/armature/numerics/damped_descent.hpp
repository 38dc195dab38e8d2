// Sums of squares are lowered by damped steps: Levenberg–Marquardt [Nocedal2006, 10.3].
#pragma once

#include <algorithm>
#include <limits>

#include "armature/rooms.hpp"

namespace armature::numerics {

/// Damping mu makes a step shorter and turns it towards the steepest way down: (JᵀJ + mu D) step = -Jᵀr.
struct DampingSettings {
  double first = 1e-3;             // of the first step
  double falls = 0.1, rises = 10;  // factors after a step that was taken, and after one that was not
  double least = 1e-12;
  int iterations = 30;                           // points about which the problem is linearized
  int attempts = 12;                             // steps tried from one of them ...
  int trials = std::numeric_limits<int>::max();  // ... and from all
};

enum class TriedStep {
  worse,   ///< it was not taken
  better,  ///< it was taken
  settled  ///< it was taken, and gained so little that no other is worth its while
};

enum class DescentEnd {
  settled,         ///< a step gained little, or linearize() said that none would gain more
  nothing_lower,   ///< no step that was tried is better
  out_of_patience  ///< iterations or trials came to their end
};

struct DampedDescent {
  DescentEnd end = DescentEnd::out_of_patience;
  int iterations = 0;  // points from which steps were tried
};

/// The loop alone: whose problem it is keeps the point, its cost and its linearization. linearize() makes the latter at the point reached, false: it
/// will do; try_step(mu) goes to the point that the step with this damping leads to if it is better. Neither is called without need.
template <class Linearize, class TryStep>
DampedDescent damped_descent(const DampingSettings& settings, Linearize&& linearize, TryStep&& try_step) {
  DampedDescent descent;
  double mu = settings.first;
  for (int trials = 0; descent.iterations < settings.iterations;) {
    if (!linearize()) {
      descent.end = DescentEnd::settled;
      return descent;
    }
    ++descent.iterations;
    TriedStep tried = TriedStep::worse;
    for (int attempt = 0; attempt < settings.attempts && tried == TriedStep::worse; ++attempt) {
      if (trials++ == settings.trials) return descent;
      tried = try_step(mu);
      mu = tried == TriedStep::worse ? mu * settings.rises : std::max(mu * settings.falls, settings.least);
    }
    if (tried == TriedStep::better) continue;
    descent.end = tried == TriedStep::settled ? DescentEnd::settled : DescentEnd::nothing_lower;
    return descent;
  }
  return descent;
}

}  // namespace armature::numerics
