#include "armature/run/run_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/run/controllers.hpp"
#include "armature/run/hold_stability.hpp"
#include "armature/run/log_extras.hpp"
#include "armature/run/measured_log.hpp"
#include "armature/run/plants.hpp"
#include "armature/run/recorded_controller.hpp"
#include "armature/run/reference.hpp"
#include "armature/simulation/scene.hpp"

namespace armature {

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
  if (e.plant.inputs() == 0) return;
  AnyController law = controller_of(loaded);
  const Reference still = standing(loaded.believed, e.start.head(e.plant.dof()));
  const HeldLoop held = held_loop(
      e.plant, e.composition.to_command, law, [&still](double, Reference& r) { r = still; }, e.start, e.loop);
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
  const double duration = loaded.scenario.reference.duration;
  if (loaded.places.given("reference.duration") && duration < e.loop.tick)
    e.warnings.push_back(
        fmt::format("reference.duration is {:.4g} s, shorter than a tick of {:.4g} s: the reference is a step\n  hint: "
                    "kind: step says so, or give the motion time",
                    duration, e.loop.tick));
}

/// Energy that appears or vanishes is an integrator's error.
void warn_about_books(const Log& log, const IntegratorSettings& integrator, std::vector<std::string>& warnings) {
  constexpr double tolerated = 1e-3;  // of the energy that was turned over
  constexpr double rounding = 1e-9;   // of what is stored
  const std::vector<double>&error = log.channel("energy_error").values, &stored = log.channel("energy_stored").values,
        &supplied = log.channel("energy_supplied").values, &dissipated = log.channel("energy_dissipated").values;
  std::size_t worst = 0;
  double turned_over = 0, most_stored = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (std::abs(error[i]) > std::abs(error[worst])) worst = i;
    turned_over =
        std::max({turned_over, std::abs(supplied[i]), std::abs(dissipated[i]), std::abs(stored[i] - stored[0])});
    most_stored = std::max(most_stored, std::abs(stored[i]));
  }
  const double wrong = std::abs(error[worst]);
  if (!log.incomplete.empty() || wrong <= std::max(tolerated * turned_over, rounding * most_stored)) return;
  warnings.push_back(fmt::format(
      "the books of energy differ by {:.2g} J at {:.6g} s, {:.2g} % of what was turned over: the integrator "
      "does not follow this machine\n  hint: {}",
      wrong, log.time[worst], 100 * wrong / turned_over,
      integrator.method < Method::dormand_prince
          ? fmt::format("a shorter run.step (it is {:.4g} ms), or run.method: dormand_prince", integrator.step * 1e3)
          : "a smaller run.tolerance"));
}

/// For how long the torques of a row act, from the row on [s]; zero where they change all the time.
double torque_hold(const Experiment& e) {
  const PlantDescription& plant = e.plant.description();
  const bool voltage = std::any_of(plant.motors.begin(), plant.motors.end(),
                                   [](const Motor& m) { return m.command == Motor::Command::voltage; });
  return e.loop.continuous || voltage || !plant.rotors.empty() ? 0 : e.loop.tick;
}

}  // namespace

Experiment build(const LoadedScenario& loaded) {
  Composition composition;
  Plant plant = plant_of(loaded, composition);
  const int n = loaded.arm.dof();
  VecX<double> q = or_zero(loaded.scenario.start.q, n), v = or_zero(loaded.scenario.start.v, n);
  std::vector<std::string> warnings = loaded.warnings;
  const VecX<double> from = q;
  ReferenceSource reference = reference_of(loaded, from, warnings, ToolPart::pose);
  if (loaded.scenario.start.on_reference) {
    Reference r;
    reference(0, r);
    q = r.q, v = r.qd;
  }
  Eigen::VectorXd start = plant.state_at(q, v);
  LoopSettings loop = loop_of(loaded, plant.hybrid());
  loaded.placed("sensors", [&] { (void)Sensors(plant, loop.sensors, loop.tick); });
  loaded.placed("converter", [&] { (void)Converter(plant.inputs(), loop.converter); });
  AnyController controller = controller_of(loaded);
  std::vector<std::string> heard;  // said above
  ReferenceSource enough =
      reference_of(loaded, from, heard, controller.needs().tool_reference ? ToolPart::motion : ToolPart::none);
  Experiment e{std::move(composition), std::move(plant), std::move(controller), std::move(reference),
               std::move(enough),      std::move(start), std::move(loop),       std::move(warnings)};
  loaded.placed("run", [&] { check_loop(e.plant, e.composition.to_command, e.controller, e.loop); });
  warn_about_start(loaded, e);
  warn_about_hold(loaded, e);
  return e;
}

RunResult run_timed(const LoadedScenario& loaded, const std::atomic<bool>* stop, std::function<void(double)> progress) {
  return run_timed(loaded, build(loaded), stop, std::move(progress));
}

RunResult run_timed(const LoadedScenario& loaded, Experiment e, const std::atomic<bool>* stop,
                    std::function<void(double)> progress) {
  const auto begin = std::chrono::steady_clock::now();
  e.loop.stop = stop;
  e.loop.progress = std::move(progress);
  const auto record = std::make_shared<ControllerRecord>();
  if (!e.loop.continuous) {
    const auto ticks = static_cast<std::size_t>(std::min(1e8, e.loop.duration / e.loop.tick)) + 2;
    record->seconds.reserve(ticks / ControllerRecord::timed_every + 1);
    e.controller = AnyController(RecordedController{std::move(e.controller), record});
  }
  Log log = loaded.placed("run", [&] {
    return run_loop(e.plant, e.composition.to_command, e.controller, e.loop_reference, e.start, e.loop);
  });
  add_reference_channels(log, loaded.believed, e.reference, !loaded.scenario.reference.push.empty());
  warn_about_books(log, e.loop.integrator, e.warnings);
  log.title = loaded.title();
  std::vector<std::pair<std::string, std::string>> hints = std::move(log.facts);  // of a run that ended early
  log.facts = {{"question", loaded.scenario.question},
               {"robot", loaded.arm.name()},
               {"seed", std::to_string(loaded.scenario.seed)},
               {"kernels", loaded.arm.kernels() ? loaded.arm.kernels()->source : "none"},
               {"scenario", loaded.text}};
  if (const double hold = torque_hold(e); hold > 0) log.facts.emplace_back(torque_hold_fact, fmt::format("{}", hold));
  add_scene(log, loaded.arm);
  for (const auto& wall : e.plant.description().walls)
    log.planes.push_back(
        {wall.name, {wall.point[0], wall.point[1], wall.point[2]}, {wall.normal[0], wall.normal[1], wall.normal[2]}});
  std::move(hints.begin(), hints.end(), std::back_inserter(log.facts));
  for (const std::string& warning : e.warnings) log.facts.emplace_back("warning", warning);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {std::move(log), std::move(e.warnings), seconds, median(std::move(record->seconds))};
}

Log run_scenario(const LoadedScenario& loaded, const std::atomic<bool>* stop, std::function<void(double)> progress) {
  return run_timed(loaded, stop, std::move(progress)).log;
}

}  // namespace armature
