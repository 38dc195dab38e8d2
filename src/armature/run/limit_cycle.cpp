#include "armature/run/limit_cycle.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/run/controllers.hpp"
#include "armature/run/hold_stability.hpp"
#include "armature/run/internal/reference.hpp"

namespace armature::run {

namespace {

/// A law whose gains about its start are all of it.
void refuse_memory(const LoadedScenario& loaded, AnyController& law) {
  const ControllerSettings& c = loaded.scenario.controller;
  if (integrals_of(law).size() > 0 || (!loaded.law && c.sampled()) || c.observer.kind != ObserverSettings::Kind::none)
    loaded.refuse("controller",
                  "the law remembers: it integrates, learns or filters, and gains alone do not say what it does",
                  "limit cycles are predicted for laws without memory; simulate this one");
}

}  // namespace

LoopBalance balance_of(const LoadedScenario& loaded, const Experiment& e) {
  LoopBalance result;
  const PlantDescription& plant = e.plant.description();
  result.elements = nonlinear_elements(plant);
  if (result.elements.empty()) return result;
  AnyController law = controller_of(loaded);
  refuse_memory(loaded, law);
  const Reference still = standing(loaded.believed, e.start.head(e.plant.dof()));
  const Feedback feedback = feedback_about(
      e.plant, e.composition.to_command, law, [&still](double, Reference& r) { r = still; }, e.start, e.loop);
  if (feedback.K.size() == 0 || !feedback.K.allFinite())
    loaded.refuse("controller", "the law's gains about its start are not finite", "are they in the units of the law?");
  const auto close = [&](const LinearPlant& linear) {
    return e.loop.continuous ? continuous_map(e.plant, linear, feedback.K, e.loop)
                             : held_map(e.plant, linear, feedback.K, e.loop);
  };
  result.cycles = limit_cycles(plant, e.start, {close, e.loop.continuous ? 0 : e.loop.tick});
  if (plant.arm)
    result.load = gravity_torque<double>(*plant.arm, VecX<double>(e.start.head(e.plant.dof()))).cwiseAbs().maxCoeff();
  return result;
}

}  // namespace armature::run
