#include "armature/run/internal/integration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "armature/run/internal/limits.hpp"
#include "armature/simulation/step_limit.hpp"

namespace armature::run {

namespace {

constexpr double tolerated_energy = 1e-3;  // of the absolute work
constexpr double negligible = 1e-7;        // of what is stored: an arm that falls without friction does no work

bool ours(const LoadedScenario& loaded) { return loaded.scenario.run.integrator.method == Method::automatic; }
bool fixed_step(const Experiment& e) { return e.loop.integrator.method < Method::dormand_prince; }
bool diverged(const Log& log) { return log.incomplete.starts_with("diverged"); }

/// Steps of equal length fill a tick.
double step_of(const LoopSettings& loop) {
  return loop.tick / std::max(1.0, std::ceil(loop.tick / loop.integrator.step - 1e-9));
}

/// At a place and speed, at least a moderate one in every joint, and at the same place at rest.
StepLimit limit_at(const Plant& plant, const LoopSettings& loop, double t, Eigen::VectorXd x,
                   const Eigen::VectorXd& u) {
  constexpr double moderate = 1;  // [rad/s | m/s]: dry friction is past its steep part, whatever else brakes is not
  const int n = plant.dof(), axes = plant.axes();
  const double step = step_of(loop), steps = loop.duration / step;
  const Modes modes = plant.modes_at(t, x, u.data());
  VecX<double> v = x.segment(axes, n);
  for (double& speed : v) speed = std::copysign(std::max(std::abs(speed), moderate), speed);
  x.segment(axes, axes) = plant.state_at(x.head(n), v).segment(axes, axes);
  const StepLimit moving = step_limit(plant, t, x, u, modes, step, steps, false);
  if (!moving.allowed) return moving;
  x.segment(axes, axes).setZero();
  const StepLimit resting = step_limit(plant, t, x, u, modes, step, steps, true);
  return !resting.allowed || std::abs(resting.eigenvalue) > std::abs(moving.eigenvalue) ? resting : moving;
}

/// The first that is not allowed, or the fastest.
StepLimit limit_of(const Experiment& e) {
  constexpr int places = 4;
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(e.plant.inputs());
  StepLimit worst = limit_at(e.plant, e.loop, 0, e.start, u);
  Reference r;
  for (int k = 0; k < places && worst.allowed; ++k) {
    const double t = e.loop.duration * (k + 0.5) / places;
    e.reference(t, r);
    if (!r.q.allFinite() || !r.qd.allFinite()) continue;
    const StepLimit limit = limit_at(e.plant, e.loop, t, e.plant.state_at(r.q, r.qd), u);
    if (!limit.allowed || std::abs(limit.eigenvalue) > std::abs(worst.eigenvalue)) worst = limit;
  }
  return worst;
}

/// Remembers where the arm has been, in cells of half a radian or a fifth of a metre, and how fast.
class StepWatch {
 public:
  explicit StepWatch(const Experiment& e) : e_(e), cell_(e.plant.dof()) {}

  void look(const Integrator& run) {
    constexpr int every = 8;  // ticks
    if (ticks_++ % every != 0) return;
    constexpr double faster = 1.5, slow = 1;  // [-], [rad/s | m/s]
    const Eigen::VectorXd& x = run.state();
    bool moved = false;
    double speed = 0;
    for (int i = 0; i < e_.plant.dof(); ++i) {
      const double size = e_.plant.description().arm->body(i).revolute ? 0.5 : 0.2;  // [rad | m]
      const auto here = static_cast<long>(std::floor(std::clamp(x[i] / size, -1e15, 1e15)));
      long& cell = cell_[i];
      moved = moved || here != cell;
      cell = here;
      speed = std::max(speed, std::abs(x[e_.plant.axes() + i]));
    }
    if (!(moved && seen_.insert(cell_).second) && speed <= faster * fastest_ + slow) return;
    fastest_ = std::max(fastest_, speed);
    const StepLimit limit = limit_at(e_.plant, e_.loop, run.time(), x.head(e_.plant.states()), run.input());
    if (limit.allowed) return;
    RunChoices choices = e_.choices;
    choices.no_fixed_step = fmt::format("at {:.4g} s {}", run.time(), to_string(limit));
    throw RunAgain{std::move(choices)};
  }

 private:
  const Experiment& e_;
  std::vector<long> cell_;
  std::set<std::vector<long>> seen_;
  double fastest_ = 0;
  int ticks_ = 0;
};

/// Looks for joints that are beyond their end stops, or were between two ticks.
class StopWatch {
 public:
  StopWatch(const Experiment& e, std::vector<JointRange> ranges)
      : axes_(e.plant.axes()), ranges_(std::move(ranges)), before_(ranges_.size()) {}

  bool reached(const Integrator& run) {
    const double h = run.time() - time_;
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      const double q = run.state()[ranges_[k].joint], v = run.state()[axes_ + ranges_[k].joint];
      const auto [q0, v0] = std::exchange(before_[k], {q, v});
      if (!ranges_[k].contains(q)) return true;
      if (h > 0 && v0 * v < 0 && !ranges_[k].contains(turning_point(h, q0, v0, q, v))) return true;
    }
    time_ = run.time();
    return false;
  }

 private:
  struct Motion {
    double q, v;
  };
  int axes_;
  std::vector<JointRange> ranges_;
  std::vector<Motion> before_;
  double time_ = 0;
};

/// Runs it once more with error control, a little longer than it lasted: where that does not diverge, the step is to blame.
bool step_is_to_blame(const LoadedScenario& loaded, const Experiment& e, double until) {
  if (!fixed_step(e)) return false;
  Experiment other = build(loaded, e.choices);
  other.loop.integrator.method = Method::automatic;
  other.loop.duration = std::min(other.loop.duration, 2 * until + 20 * other.loop.tick);
  other.loop.integrator.stop = e.loop.integrator.stop;
  const Log log = run_loop(other.plant, other.composition.to_command, other.controller, other.loop_reference,
                           other.start, other.loop);
  return log.incomplete.empty();
}

/// Ends where the joints were last slow enough to be looked at.
void cut(Log& log, int dof) {
  constexpr double fast = diverged_speed / 10;
  std::size_t rows = log.time.size();
  const auto wild = [&](std::size_t row) {
    for (int i = 1; i <= dof; ++i)
      if (!(std::abs(log.channel(fmt::format("v{}", i)).values[row]) <= fast)) return true;
    return false;
  };
  while (rows > 1 && wild(rows - 1)) --rows;
  log.time.resize(rows);
  for (Channel& channel : log.channels) channel.values.resize(rows);
  std::erase_if(log.events, [&](const LogEvent& event) { return event.time > log.time.back(); });
}

}  // namespace

void choose_method(const LoadedScenario& loaded, Experiment& e) {
  Method& method = e.loop.integrator.method;
  const std::string controlled = "error control, because ";
  if (!ours(loaded)) {
    e.integration = "as the scenario says";
  } else if (e.loop.continuous) {
    e.integration = controlled + "the law acts continuously";
  } else if (e.plant.hybrid()) {
    e.integration = controlled + "events are located";
  } else if (!e.choices.no_fixed_step.empty()) {
    e.integration = controlled + e.choices.no_fixed_step;
  } else if (const StepLimit limit = limit_of(e); limit.allowed) {
    method = Method::rk4;
    e.integration = to_string(limit);
  } else {
    e.integration = controlled + to_string(limit);
  }
}

std::function<void(const Integrator& run)> watch_of(const LoadedScenario& loaded, const Experiment& e) {
  std::vector<JointRange> ranges;
  const bool located = ours(loaded) || !fixed_step(e);  // a stop is an event
  if (!e.choices.end_stops && located) ranges = ranges_between_stops(loaded, e.start.head(e.plant.dof()));
  const bool steps = ours(loaded) && fixed_step(e);
  if (ranges.empty() && !steps) return {};
  return [&e, stops = StopWatch(e, std::move(ranges)), steps, watch = StepWatch(e)](const Integrator& run) mutable {
    if (stops.reached(run)) {
      RunChoices choices = e.choices;
      choices.end_stops = true;
      throw RunAgain{std::move(choices)};
    }
    if (steps) watch.look(run);
  };
}

std::optional<RunChoices> again_after(const LoadedScenario& loaded, const Experiment& e, const Log& log) {
  if (!ours(loaded) || !fixed_step(e)) return std::nullopt;
  RunChoices choices = e.choices;
  const double step = 1e3 * step_of(e.loop);
  if (diverged(log))
    choices.no_fixed_step = fmt::format("in steps of {:.4g} ms the run diverges at {:.4g} s", step, log.time.back());
  else if (const EnergyBalance balance = energy_balance(log); log.incomplete.empty() && !balance.holds)
    choices.no_fixed_step =
        fmt::format("in steps of {:.4g} ms {:.2g} % of the work is lost or gained", step, 100 * balance.share());
  else
    return std::nullopt;
  return choices;
}

EnergyBalance energy_balance(const Log& log) {
  const std::vector<double>&error = log.channel("energy_error").values, &stored = log.channel("energy_stored").values,
        &supplied = log.channel("energy_supplied").values, &dissipated = log.channel("energy_dissipated").values;
  EnergyBalance balance;
  double most_stored = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (!(std::abs(error[i]) <= balance.worst)) {
      balance.worst = std::abs(error[i]);
      balance.at = log.time[i];
    }
    most_stored = std::max(most_stored, std::abs(stored[i]));
    if (i == 0) continue;
    balance.work += std::max({std::abs(supplied[i] - supplied[i - 1]), std::abs(dissipated[i] - dissipated[i - 1]),
                              std::abs(stored[i] - stored[i - 1])});
  }
  balance.holds = balance.worst <= std::max(tolerated_energy * balance.work, negligible * most_stored);
  return balance;
}

void explain_divergence(const LoadedScenario& loaded, const Experiment& e, Log& log) {
  if (!diverged(log)) return;
  const bool step = step_is_to_blame(loaded, e, log.time.back());
  std::string hint = step ? fmt::format(
                                "the step is to blame, not the loop: with error control the run does not diverge; "
                                "leave run.method out, or a shorter run.step (it is {:.4g} ms)",
                                1e3 * step_of(e.loop))
                          : "the loop is to blame, not the step: with error control it diverges as well; ";
  if (!step)
    hint += (e.loop_radius > 1
                 ? fmt::format("about its start its largest |eigenvalue| from tick to tick is {:.4g}; ", e.loop_radius)
                 : std::string()) +
            "lower gains, a shorter run.tick, or limits of torque";
  std::erase_if(log.facts, [](const auto& fact) { return fact.first == "hint"; });
  log.facts.emplace_back("hint", hint);
  cut(log, e.plant.dof());
}

}  // namespace armature::run
