// How a run is integrated: chosen before it starts, watched while it runs, judged when it has ended.
#pragma once

#include <optional>

#include "armature/run/run_scenario.hpp"

namespace armature::run {

/// Sets the method where the scenario leaves it to us, and says in `integration` why.
///
/// A plant with events or a law that acts continuously needs an integrator that controls its error. Otherwise steps of a fixed
/// length are taken if they follow every mode of the plant (simulation/step_limit.hpp) at the start and along the reference, in
/// motion and at rest, where dry friction is steep.
void choose_method(const LoadedScenario& loaded, Experiment& e);

/// Thrown out of a run: it has to start anew, with these choices.
struct RunAgain {
  RunChoices choices;
};

/// Looks at an attempt at every tick, and throws RunAgain where the arm reaches an end stop that is not there yet, or where a
/// fixed step is too long for a place or a speed that the arm has not been at before. Empty where nothing needs watching.
/// The experiment must outlive it.
std::function<void(const Integrator& run)> watch_of(const LoadedScenario& loaded, const Experiment& e);

/// What a run that has ended asks for: with a fixed step that was ours it starts anew where it diverged or lost energy.
std::optional<RunChoices> again_after(const LoadedScenario& loaded, const Experiment& e, const Log& log);

/// Energy that appears or vanishes is an integrator's error.
struct EnergyBalance {
  double worst = 0;  // [J]
  double at = 0;     // [s]
  double work = 0;   // sum of the absolute work of motors, friction and forces on the tool [J]
  bool holds = true;
  [[nodiscard]] double share() const { return worst / work; }
};
EnergyBalance energy_balance(const Log& log);

/// Whether a run has diverged; says in its hint whether the loop or the step is to blame, and ends its log where the arm was
/// last itself.
void explain_divergence(const LoadedScenario& loaded, const Experiment& e, Log& log);

}  // namespace armature::run
