#include "armature/run/run_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "armature/run/controllers.hpp"
#include "armature/run/hold_stability.hpp"
#include "armature/run/internal/inputs.hpp"
#include "armature/run/internal/integration.hpp"
#include "armature/run/internal/limits.hpp"
#include "armature/run/internal/log_extras.hpp"
#include "armature/run/internal/recorded_controller.hpp"
#include "armature/run/internal/reference.hpp"
#include "armature/run/measured_log.hpp"
#include "armature/run/payload_changes.hpp"
#include "armature/run/plants.hpp"
#include "armature/simulation/scene.hpp"

namespace armature::run {

namespace {

VecX<double> or_zero(const VecX<double>& numbers, int n) {
  return numbers.size() == 0 ? VecX<double>(VecX<double>::Zero(n)) : numbers;
}

double median(std::vector<float> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void warn_about_hold(const LoadedScenario& loaded, Experiment& e) {
  if (e.plant.inputs() == 0 || loaded.scenario.controller.filtered()) return;
  AnyController law = controller_of(loaded);
  const Reference still = standing(loaded.believed, e.start.head(e.plant.dof()));
  const HeldLoop held = held_loop(
      e.plant, e.composition.to_command, law, [&still](double, Reference& r) { r = still; }, e.start, e.loop);
  e.loop_radius = held.radius;
  if (!held.unstable) return;
  if (!std::isfinite(held.radius)) {
    e.warnings.emplace_back(
        "the gains are so large that the loop about its start cannot be computed\n  hint: lower gains; are they in the "
        "units of the law?");
    return;
  }
  e.warnings.push_back(
      fmt::format("{}the loop about its start is unstable when commands are held for {:.4g} ms: largest |eigenvalue| "
                  "{:.4g}; without the "
                  "hold it is stable\n  hint: a shorter run.tick, lower gains, or controller.continuous: true",
                  loaded.scenario.controller.continuous ? "acting continuously this law is stable, but " : "",
                  e.loop.tick * 1e3, held.radius));
}

/// Settings that mean something, but hardly what was meant.
void warn_about_start(const LoadedScenario& loaded, Experiment& e) {
  constexpr double far = 100;  // turns of a joint, or metres
  for (int i = 0; i < e.plant.dof(); ++i) {
    const bool turns = loaded.arm.body(i).revolute;
    const double travel = turns ? e.start[i] / (2 * pi) : e.start[i];
    if (!(std::abs(travel) <= far))
      e.warnings.push_back(fmt::format("joint '{}' starts at {:.4g} {}\n  hint: is start.q in the right unit?",
                                       loaded.arm.joint(i).name, travel, turns ? "turns" : "m"));
  }
  if (!loaded.places.given("reference.duration")) return;
  const double duration = loaded.scenario.reference.duration;
  const std::string& kind = loaded.scenario.reference.kind;
  if (kind == "hold" || kind == "step")
    e.warnings.push_back(
        fmt::format("reference.duration does nothing in a reference of kind '{}'\n  hint: kind: "
                    "polynomial gets there within {:.4g} s",
                    kind, duration));
  else if (duration < e.loop.tick)
    e.warnings.push_back(
        fmt::format("reference.duration is {:.4g} s, shorter than a tick of {:.4g} s: the reference is a step\n  hint: "
                    "kind: step says so, or give the motion time",
                    duration, e.loop.tick));
}

/// Empty where energy is kept well enough.
std::string unbalanced(const Experiment& e, const Log& log) {
  const EnergyBalance balance = energy_balance(log);
  if (!log.incomplete.empty() || balance.holds) return {};
  return fmt::format(
      "the energy balance is off by {:.2g} J at {:.6g} s, {:.2g} % of the work done: the integrator does not follow "
      "this "
      "machine\n  hint: {}; or run.accept_energy_error: true",
      balance.worst, balance.at, 100 * balance.share(),
      e.loop.integrator.method < Method::dormand_prince
          ? fmt::format("leave run.method out, or a shorter run.step (it is {:.4g} ms)", e.loop.integrator.step * 1e3)
          : "a smaller run.tolerance");
}

/// For how long the torques of a row act, from the row on [s]; zero where they change all the time.
double torque_hold(const Experiment& e) {
  const PlantDescription& plant = e.plant.description();
  const bool voltage = std::any_of(plant.motors.begin(), plant.motors.end(),
                                   [](const Motor& m) { return m.command == Motor::Command::voltage; });
  return e.loop.continuous || voltage || !plant.rotors.empty() ? 0 : e.loop.tick;
}

/// One attempt: its log, or what the next one should do.
std::variant<Log, RunChoices> attempt(const LoadedScenario& loaded, Experiment& e,
                                      const std::shared_ptr<ControllerRecord>& record) {
  if (!e.loop.continuous) {
    const auto ticks = static_cast<std::size_t>(std::min(1e8, e.loop.duration / e.loop.tick)) + 2;
    record->seconds.reserve(ticks / ControllerRecord::timed_every + 1);
    e.controller = AnyController(RecordedController{{std::move(e.controller)}, record});
  }
  e.loop.watch = watch_of(loaded, e);
  try {
    Log log = loaded.placed("run", [&] {
      return run_loop(e.plant, e.composition.to_command, e.controller, e.loop_reference, e.start, e.loop);
    });
    if (auto choices = again_after(loaded, e, log)) return *std::move(choices);
    return log;
  } catch (RunAgain& again) {
    return std::move(again.choices);
  }
}

}  // namespace

Experiment build(const LoadedScenario& loaded, const RunChoices& choices) {
  const int n = loaded.arm.dof();
  VecX<double> q = or_zero(loaded.scenario.start.q, n), v = or_zero(loaded.scenario.start.v, n);
  std::vector<std::string> warnings = loaded.warnings;
  const VecX<double> from = q;
  ReferenceSource reference = reference_of(loaded, from, warnings, ToolPart::pose);
  if (loaded.scenario.start.on_reference) {
    Reference r;
    reference(0, r);
    q = r.q;
    v = r.qd;
    for (const LockSettings& lock : loaded.scenario.plant.locks)
      if (lock.joint <= n) v[lock.joint - 1] = 0;
  }
  Composition composition;
  Plant plant = plant_of(loaded, composition, choices.end_stops ? &q : nullptr);
  Eigen::VectorXd start = plant.state_at(q, v);
  LoopSettings loop = loop_of(loaded, plant.hybrid());
  loop.inputs = inputs_of(loaded, plant.description());
  loaded.placed("sensors", [&] { (void)Sensors(plant, loop.sensors, loop.tick); });
  loaded.placed("converter", [&] { (void)Converter(plant.inputs(), loop.converter); });
  AnyController controller = controller_of(loaded);
  check_inputs(loaded, controller.needs());
  std::vector<std::string> heard;  // said above
  ReferenceSource enough =
      reference_of(loaded, from, heard, controller.needs().tool_reference ? ToolPart::motion : ToolPart::none);
  Experiment e{.composition = std::move(composition),
               .plant = std::move(plant),
               .controller = std::move(controller),
               .reference = with_inputs(std::move(reference), loop.inputs),
               .loop_reference = with_inputs(std::move(enough), loop.inputs),
               .start = std::move(start),
               .loop = std::move(loop),
               .warnings = std::move(warnings),
               .choices = choices};
  choose_method(loaded, e);
  loaded.placed("run", [&] { check_loop(e.plant, e.composition.to_command, e.controller, e.loop); });
  warn_about_start(loaded, e);
  warn_about_limits(loaded, e);
  warn_about_hold(loaded, e);
  return e;
}

RunResult run_timed(const LoadedScenario& loaded, const std::atomic<bool>* stop, std::function<void(double)> progress) {
  return run_timed(loaded, build(loaded), stop, std::move(progress));
}

RunResult run_timed(const LoadedScenario& loaded, Experiment e, const std::atomic<bool>* stop,
                    std::function<void(double)> progress) {
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<ControllerRecord> record;
  std::variant<Log, RunChoices> outcome;
  for (;;) {
    record = std::make_shared<ControllerRecord>();
    e.loop.integrator.stop = stop;
    e.loop.progress = progress;
    outcome = attempt(loaded, e, record);
    if (outcome.index() == 0) break;
    e = build(loaded, std::get<RunChoices>(outcome));
  }
  Log log = std::move(std::get<Log>(outcome));
  explain_divergence(loaded, e, log);
  note_payload_changes(log);
  add_reference_channels(log, loaded.believed, e.reference, !loaded.scenario.reference.push.empty());
  RunResult result;
  warn_about_stops(loaded, e, log, e.warnings);
  result.unbalanced = unbalanced(e, log);
  if (loaded.scenario.run.accept_energy_error && !result.unbalanced.empty())
    e.warnings.push_back(std::exchange(result.unbalanced, {}));
  result.saturation = saturation_of(e.plant.description(), log);
  log.title = loaded.title();
  std::vector<std::pair<std::string, std::string>> hints = std::move(log.facts);  // how it was integrated, why it ended
  log.facts = {{"question", loaded.scenario.question},
               {"robot", loaded.arm.name()},
               {"seed", std::to_string(loaded.scenario.seed)},
               {"kernels", loaded.arm.kernels() ? loaded.arm.kernels()->source : "none"},
               {"scenario", loaded.text}};
  if (loaded.law) log.facts.emplace_back("law", "of the calling program, in place of the scenario's controller.kind");
  if (const double hold = torque_hold(e); hold > 0) log.facts.emplace_back(torque_hold_fact, fmt::format("{}", hold));
  add_scene(log, loaded.arm);
  for (const auto& wall : e.plant.description().walls)
    log.planes.push_back(
        {wall.name, {wall.point[0], wall.point[1], wall.point[2]}, {wall.normal[0], wall.normal[1], wall.normal[2]}});
  for (auto& [name, text] : hints) {
    if (name == integrator_fact) text = result.integration = fmt::format("{}: {}", text, e.integration);
    log.facts.emplace_back(std::move(name), std::move(text));
  }
  if (!result.unbalanced.empty()) log.facts.emplace_back("warning", result.unbalanced);
  for (const std::string& warning : e.warnings) log.facts.emplace_back("warning", warning);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.tick_time = median(std::move(record->seconds));
  result.log = std::move(log);
  result.warnings = std::move(e.warnings);
  return result;
}

Log run_scenario(const LoadedScenario& loaded, const std::atomic<bool>* stop, std::function<void(double)> progress) {
  return run_timed(loaded, stop, std::move(progress)).log;
}

}  // namespace armature::run
