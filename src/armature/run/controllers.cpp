#include "armature/run/controllers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "armature/control/collision.hpp"
#include "armature/control/guarded.hpp"
#include "armature/control/kalman_motion_observer.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/core/text.hpp"

namespace armature {

namespace {

/// Switches terms at their times; its clock is the sum of the time steps.
struct Switched {
  AnyController law;
  std::vector<SwitchSettings> switches;  // in order of time
  double time = 0;                       // [s]
  std::size_t next = 0;

  void reset(const Measurement& y) { law.reset(y), time = 0, next = 0; }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    for (; next < switches.size() && switches[next].time <= time + 1e-9; ++next)
      law.switch_term(switches[next].term, switches[next].on);
    law.update(y, r, dt, tau);
    time += dt;
  }
  bool switch_term(std::string_view name, bool on) noexcept { return law.switch_term(name, on); }
  [[nodiscard]] std::span<const Part> parts() const noexcept { return law.parts(); }
  [[nodiscard]] Status status() const noexcept { return law.status(); }
  [[nodiscard]] Needs needs() const noexcept { return law.needs(); }
};

AnyController sum_of(const LawSource& source) {
  const std::vector<LawSettings>& settings = source.law.terms;
  if (settings.empty()) source.refuse("terms", "a law of kind 'sum' has no terms", "list at least one under 'terms'");
  std::vector<Term> terms;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const std::string key = fmt::format("{}.terms[{}]", source.key, i);
    const std::string name = settings[i].name.empty() ? settings[i].kind : settings[i].name;
    for (const Term& other : terms)
      if (other.name == name)
        source.loaded.refuse(key, fmt::format("there are two terms '{}'", printable(name)), "give one another name");
    terms.push_back(Term{name, law_of({source.loaded, settings[i], key}), settings[i].on});
  }
  return AnyController(TermSum(source.arm().dof(), std::move(terms), source.loaded.scenario.controller.fade));
}

AnyController observed(const LoadedScenario& loaded, AnyController law) {
  const ObserverSettings& s = loaded.scenario.controller.observer;
  if (s.kind == "none") return law;
  for (const auto& [key, numbers] : {std::pair{"resolution", &s.resolution}, std::pair{"jerk", &s.jerk}})
    if (numbers->empty())
      loaded.refuse("controller.observer", fmt::format("the observer 'kalman' needs the key '{}'", key),
                    "see armature simulate --help-keys");
  const auto vector = [](const std::vector<double>& numbers) {
    return VecX<double>(Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size())));
  };
  return loaded.placed("controller.observer", [&] {
    KalmanMotionObserver observer(
        {.tick = loaded.scenario.run.tick, .resolution = vector(s.resolution), .jerk = vector(s.jerk)});
    return AnyController(Observed(std::move(observer), std::move(law)));
  });
}

AnyController guarded(const LoadedScenario& loaded, AnyController law) {
  const SafetySettings& s = loaded.scenario.controller.safety;
  if (!s.on) return law;
  const auto vector = [](const std::vector<double>& numbers) {
    return VecX<double>(Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size())));
  };
  GuardSettings g;
  g.torque = vector(s.torque), g.torque_rate = vector(s.torque_rate), g.lower = vector(s.lower);
  g.upper = vector(s.upper), g.velocity = vector(s.velocity), g.limit_margin = s.limit_margin, g.ramp = s.ramp;
  g.start_from_gravity = s.start_from_gravity, g.missed_samples = s.missed_samples, g.largest_jump = s.largest_jump;
  g.longest_tick = s.longest_tick, g.stop_damping = vector(s.stop_damping), g.stop_time = s.stop_time;
  g.stop_speed = s.stop_speed, g.hold_bandwidth = s.hold_bandwidth;
  return loaded.placed("controller.safety", [&] { return AnyController(Guarded(loaded.believed, std::move(law), g)); });
}

AnyController watched(const LoadedScenario& loaded, AnyController law) {
  const CollisionWatchSettings& s = loaded.scenario.controller.collision;
  if (s.method == "none") return law;
  if (s.threshold.empty())
    loaded.refuse("controller.collision", "the collision watch needs the key 'threshold'", "one torque a joint");
  CollisionSettings c;
  c.observer.method = s.method == "measured"  ? ExternalTorqueMethod::measured
                      : s.method == "desired" ? ExternalTorqueMethod::desired
                                              : ExternalTorqueMethod::momentum;
  c.observer.gain = s.gain, c.observer.friction = s.friction;
  c.threshold = Eigen::Map<const Eigen::VectorXd>(s.threshold.data(), static_cast<Eigen::Index>(s.threshold.size()));
  c.confirm = s.confirm;
  c.reaction = s.reaction == "stop"      ? CollisionReaction::stop
               : s.reaction == "gravity" ? CollisionReaction::gravity
               : s.reaction == "retract" ? CollisionReaction::retract
                                         : CollisionReaction::none;
  c.stop_time = s.stop_time, c.hold_bandwidth = s.hold_bandwidth, c.float_damping = s.float_damping;
  c.retract_distance = s.retract_distance, c.retract_time = s.retract_time;
  return loaded.placed("controller.collision",
                       [&] { return AnyController(CollisionMonitor(loaded.believed, std::move(law), c)); });
}

/// The names that a switch may use.
std::vector<std::string> term_names(const LawSettings& law) {
  std::vector<std::string> names;
  for (const LawSettings& term : law.terms) {
    const std::string name = term.name.empty() ? term.kind : term.name;
    names.push_back(name);
    for (const std::string& inner : term_names(term)) names.push_back(name + "." + inner);
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
  law = law_of({loaded, loaded.scenario.controller, "controller"});  // as it was before they were tried
  std::stable_sort(switches.begin(), switches.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return AnyController(Switched{std::move(law), std::move(switches)});
}

}  // namespace

void LawSource::need(const char* setting, bool given) const {
  if (!given)
    refuse("", fmt::format("the law '{}' needs the key '{}'", law.kind, setting), "see armature simulate --help-keys");
}

VecX<double> LawSource::joints(const std::vector<double>& numbers) const {
  if (numbers.empty()) return {};
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

AnyController law_of(const LawSource& source) {
  return source.loaded.placed(source.key, [&]() -> AnyController {
    if (source.law.kind == "sum") return sum_of(source);
    if (std::optional<AnyController> law = joint_law(source)) return std::move(*law);
    if (std::optional<AnyController> law = task_law(source)) return std::move(*law);
    if (std::optional<AnyController> law = force_law(source)) return std::move(*law);
    if (std::optional<AnyController> law = learning_law(source)) return std::move(*law);
    source.refuse("kind", fmt::format("the law '{}' is not known", source.law.kind), "see --help-keys");
  });
}

namespace {

/// What counts samples cannot act between them.
void check_continuous(const LoadedScenario& loaded) {
  const ControllerSettings& c = loaded.scenario.controller;
  if (!c.continuous) return;
  const auto refuse = [&](const std::string& key, const std::string& what) {
    loaded.refuse(key, what + " works sample by sample, and a continuous law has no samples",
                  "leave controller.continuous out");
  };
  const std::function<void(const LawSettings&, const std::string&)> check = [&](const LawSettings& law,
                                                                                const std::string& key) {
    if (law.kind == "ik_in_loop" || law.kind == "iterative_learning")
      refuse(key + ".kind", fmt::format("the law '{}'", law.kind));
    for (std::size_t i = 0; i < law.terms.size(); ++i) check(law.terms[i], fmt::format("{}.terms[{}]", key, i));
  };
  check(c, "controller");
  if (c.observer.kind != "none") refuse("controller.observer.kind", "the observer");
  if (c.safety.on) refuse("controller.safety.on", "the guard");
  if (c.collision.method != "none") refuse("controller.collision.method", "the collision watch");
}

}  // namespace

AnyController controller_of(const LoadedScenario& loaded) {
  check_continuous(loaded);
  AnyController law = law_of({loaded, loaded.scenario.controller, "controller"});
  return watched(loaded, guarded(loaded, observed(loaded, switched(loaded, std::move(law)))));
}

}  // namespace armature
