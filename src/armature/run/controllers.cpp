#include "armature/run/controllers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/control/payload_watch.hpp"
#include "armature/core/text.hpp"
#include "armature/run/internal/inputs.hpp"
#include "armature/run/plants.hpp"

namespace armature::run {

namespace {

/// Switches terms at their times; its clock is the sum of the time steps.
struct Switched : AroundLaw {
  std::vector<SwitchSettings> switches;  // in order of time
  double time = 0;                       // [s]
  std::size_t next = 0;

  void reset(const Measurement& y) {
    law.reset(y);
    time = 0;
    next = 0;
  }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    for (; next < switches.size() && switches[next].time <= time + 1e-9; ++next)
      law.switch_term(switches[next].term, switches[next].on);
    law.update(y, r, dt, tau);
    time += dt;
  }
};

/// Adds what comes from outside to the law's torque; its clock counts ticks.
struct Injected : AroundLaw {
  LoopInputs inputs;
  long ticks = 0;

  void reset(const Measurement& y) {
    law.reset(y);
    ticks = 0;
  }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    law.update(y, r, dt, tau);
    inputs.act_in_front_of_guard(static_cast<double>(ticks++) * dt, tau);
  }
};

AnyController law_of(const LoadedScenario& loaded) {
  if (loaded.law) return loaded.law(loaded.believed);
  return loaded.scenario.controller.make({loaded.believed, loaded.scenario.run.tick, "controller",
                                          [&](const std::string& key) { return loaded.places.of(key); }});
}

/// The names that a switch may use.
std::vector<std::string> term_names(const LawSettings& law) {
  std::vector<std::string> names;
  for (const LawSettings& term : law.terms()) {
    names.push_back(term.term_name());
    for (const std::string& inner : term_names(term)) names.push_back(term.term_name() + "." + inner);
  }
  return names;
}

AnyController switched(const LoadedScenario& loaded, AnyController law) {
  std::vector<SwitchSettings> switches = loaded.scenario.controller.switches;
  if (switches.empty()) return law;
  if (loaded.scenario.controller.continuous)
    loaded.refuse("controller.switches", "a continuous law has no ticks in which terms could be switched",
                  "leave controller.continuous out");
  for (std::size_t i = 0; i < switches.size(); ++i)
    if (!law.switch_term(switches[i].term, switches[i].on))
      loaded.refuse(fmt::format("controller.switches[{}].term", i),
                    fmt::format("the law has no term '{}'", printable(switches[i].term)),
                    suggestion(switches[i].term, term_names(loaded.scenario.controller)));
  law = law_of(loaded);  // as it was before they were tried
  std::stable_sort(switches.begin(), switches.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return AnyController(Switched{{std::move(law)}, std::move(switches)});
}

AnyController observed(const LoadedScenario& loaded, AnyController law) {
  KalmanMotionSettings settings = loaded.scenario.controller.observer;
  if (loaded.scenario.controller.observer.kind == ObserverSettings::Kind::none) return law;
  settings.tick = loaded.scenario.run.tick;
  return loaded.placed("controller.observer",
                       [&] { return AnyController(Observed(KalmanMotionObserver(settings), std::move(law))); });
}

AnyController injected(const LoadedScenario& loaded, AnyController law) {
  const auto& inputs = loaded.scenario.inputs;
  if (std::none_of(inputs.begin(), inputs.end(),
                   [](const InputSettings& s) { return s.quantity == LoopInput::Quantity::law_torque; }))
    return law;
  Composition composition;
  const Plant plant = plant_of(loaded, composition);
  return AnyController(Injected{{std::move(law)}, inputs_of(loaded, plant.description())});
}

/// A guard or a watch around the law, where it is on.
template <class Around>
AnyController around(const LoadedScenario& loaded, AnyController law, const char* key, bool on, const auto& settings) {
  if (!on) return law;
  return loaded.placed(key, [&] { return AnyController(Around(loaded.believed, std::move(law), settings)); });
}

/// What counts samples cannot act between them.
void check_continuous(const LoadedScenario& loaded) {
  const ControllerSettings& c = loaded.scenario.controller;
  if (!c.continuous) return;
  const auto refuse = [&](const std::string& key, const std::string& what) {
    loaded.refuse(key, what + " works sample by sample, and a continuous law has no samples",
                  "leave controller.continuous out");
  };
  const auto check = [&](const auto& self, const LawSettings& law, const std::string& key) -> void {
    if (law.sampled()) refuse(key + ".kind", fmt::format("the law '{}'", law.kind()));
    for (std::size_t i = 0; i < law.terms().size(); ++i)
      self(self, law.terms()[i], fmt::format("{}.terms[{}]", key, i));
  };
  if (!loaded.law) check(check, c, "controller");
  if (c.observer.kind != ObserverSettings::Kind::none) refuse("controller.observer.kind", "the observer");
  if (c.safety.on) refuse("controller.safety.on", "the guard");
  if (c.collision.observer.method != ExternalTorqueMethod::none)
    refuse("controller.collision.method", "the collision watch");
  if (c.payload_watch.on) refuse("controller.payload_watch.on", "the payload watch");
}

}  // namespace

AnyController controller_of(const LoadedScenario& loaded) {
  check_continuous(loaded);
  const ControllerSettings& c = loaded.scenario.controller;
  const bool watched = c.collision.observer.method != ExternalTorqueMethod::none;
  AnyController law = injected(loaded, observed(loaded, switched(loaded, law_of(loaded))));
  law = around<Guarded>(loaded, std::move(law), "controller.safety", c.safety.on, c.safety);
  law = around<CollisionMonitor>(loaded, std::move(law), "controller.collision", watched, c.collision);
  return around<PayloadWatch>(loaded, std::move(law), "controller.payload_watch", c.payload_watch.on, c.payload_watch);
}

}  // namespace armature::run
