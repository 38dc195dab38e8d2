#include "armature/run/internal/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"

namespace armature::run {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

JointRange range_of(const Arm& arm, int joint) {
  const Limits& limits = arm.joint(joint).limits;
  return {joint, limits.lower.value_or(-unlimited), limits.upper.value_or(unlimited)};
}

/// How people read a joint's numbers.
struct Shown {
  double scale;
  const char* unit;
};
Shown shown(bool turns, const std::string& quantity) {
  if (quantity == "position") return turns ? Shown{1 / deg, "deg"} : Shown{1e3, "mm"};
  if (quantity == "speed") return turns ? Shown{1 / deg, "deg/s"} : Shown{1e3, "mm/s"};
  if (quantity == "acceleration") return turns ? Shown{1, "rad/s^2"} : Shown{1, "m/s^2"};
  return turns ? Shown{1, "N m"} : Shown{1, "N"};
}

/// One quantity of one joint along the reference.
struct Excess {
  double first = -1, worst_at = 0, worst = 0, value = 0, limit = 0;  // times [s]; by how much, what, beyond what

  void see(double t, double what, double lower, double upper) {
    const double bound = what > upper ? upper : lower, beyond = std::max(what - upper, lower - what);
    const double hair = 1e-9 * std::max(1.0, std::abs(bound));
    if (!(beyond > hair)) return;
    if (first < 0) first = t;
    if (beyond > worst) {
      worst = beyond;
      worst_at = t;
      value = what;
      limit = bound;
    }
  }
};

VecX<double> torque_along(const LoadedScenario& loaded, const Experiment& e, const Reference& r) {
  VecX<double> tau = inverse_dynamics<double>(loaded.arm, r.q, r.qd, r.qdd);
  const MatX<double>& rotors = e.plant.description().reflected_inertia;
  if (rotors.size() > 0) tau += rotors * r.qdd;
  if (loaded.scenario.plant.friction) tau += smooth_friction<double>(loaded.arm, r.qd, tau);
  return tau;
}

}  // namespace

double turning_point(double h, double q0, double v0, double q1, double v1) {
  // q0 + a s + b s² + c s³ for s from 0 to 1; its slope a + 2 b s + 3 c s² changes sign once
  const double a = h * v0, b = 3 * (q1 - q0) - h * (2 * v0 + v1), c = h * (v0 + v1) - 2 * (q1 - q0);
  const double root = b + std::copysign(std::sqrt(std::max(0.0, b * b - 3 * a * c)), b);
  const double first = -a / root, second = -root / (3 * c);  // without cancellation; one may be no number
  const double s = first > 0 && first < 1 ? first : std::clamp(second, 0.0, 1.0);
  return q0 + s * (a + s * (b + s * c));
}

std::vector<JointRange> ranges_between_stops(const LoadedScenario& loaded, const VecX<double>& q) {
  std::vector<JointRange> ranges;
  if (!loaded.scenario.plant.end_stops) return ranges;
  for (int i = 0; i < loaded.arm.dof(); ++i) {
    const JointRange range = range_of(loaded.arm, i);
    const bool limited = std::isfinite(range.lower) || std::isfinite(range.upper);
    if (limited && range.lower < range.upper && range.contains(q[i])) ranges.push_back(range);
  }
  return ranges;
}

void add_end_stops(const LoadedScenario& loaded, const VecX<double>& q, PlantDescription& plant) {
  constexpr double frequency = 50, damping = 0.3;  // [Hz], of critical
  MatX<double> M = mass_matrix<double>(loaded.arm, q);
  if (plant.reflected_inertia.size() > 0) M += plant.reflected_inertia;
  for (const JointRange& range : ranges_between_stops(loaded, q)) {
    const double inertia = M(range.joint, range.joint), w = 2 * pi * frequency;
    const double give = loaded.arm.body(range.joint).revolute ? 0.5 * deg : 1e-3;
    const double stiffness = std::max(inertia * w * w, loaded.arm.joint(range.joint).limits.torque.value_or(0) / give);
    plant.springs.push_back(end_stops(loaded.arm.joint(range.joint).name, range.joint, range.lower, range.upper,
                                      stiffness, 2 * damping * std::sqrt(stiffness * inertia)));
  }
}

void warn_about_limits(const LoadedScenario& loaded, Experiment& e) {
  if (!loaded.scenario.warns_of_limits) return;
  const int n = loaded.arm.dof();
  std::string lines;
  for (int i = 0; i < n; ++i) {
    const JointRange range = range_of(loaded.arm, i);
    if (range.contains(e.start[i])) continue;
    const auto [scale, unit] = shown(loaded.arm.body(i).revolute, "position");
    lines += fmt::format("\n  {}: starts at {:.4g} {}, beyond its limit of {:.4g} {}; its end stops are left out",
                         loaded.arm.joint(i).name, e.start[i] * scale, unit,
                         (e.start[i] > range.upper ? range.upper : range.lower) * scale, unit);
  }
  const Needs needs = e.controller.needs();
  const char* quantities[] = {"position", "speed", "acceleration", "torque"};
  std::vector<std::array<Excess, 4>> found(n);
  constexpr double most_places = 100;
  const double places = std::min(most_places, std::round(e.loop.duration / e.loop.tick));
  Reference r;
  for (double k = 0; k <= places && (needs.joint_reference || needs.tool_reference); ++k) {
    const double t = e.loop.duration * k / places;
    e.reference(t, r);
    if (!r.q.allFinite() || !r.qd.allFinite() || !r.qdd.allFinite()) continue;
    const VecX<double> tau = torque_along(loaded, e, r);
    for (int i = 0; i < n; ++i) {
      const Limits& limits = loaded.arm.joint(i).limits;
      const JointRange range = range_of(loaded.arm, i);
      auto& [position, speed, acceleration, torque] = found[i];
      const auto within = [&](Excess& excess, double what, const std::optional<double>& limit) {
        if (limit) excess.see(t, what, -*limit, *limit);
      };
      position.see(t, r.q[i], range.lower, range.upper);
      within(speed, r.qd[i], limits.velocity);
      within(acceleration, r.qdd[i], limits.acceleration);
      within(torque, tau[i], limits.torque);
    }
  }
  for (int i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      const Excess& excess = found[i][k];
      if (excess.first < 0) continue;
      const auto [scale, unit] = shown(loaded.arm.body(i).revolute, quantities[k]);
      lines += fmt::format("\n  {}: {} beyond {:.4g} {} from {:.4g} s on, at {:.4g} s {:.4g} {}",
                           loaded.arm.joint(i).name, quantities[k], excess.limit * scale, unit, excess.first,
                           excess.worst_at, excess.value * scale, unit);
    }
  if (!lines.empty())
    e.warnings.push_back("the scenario leaves the limits of the arm:" + lines +
                         "\n  hint: another reference; or limits: ignore");
}

void warn_about_stops(const LoadedScenario& loaded, const Experiment& e, const Log& log,
                      std::vector<std::string>& warnings) {
  for (const JointRange& range : ranges_between_stops(loaded, e.start.head(e.plant.dof()))) {
    const std::string& name = loaded.arm.joint(range.joint).name;
    const std::vector<double>& q = log.channel(fmt::format("q{}", range.joint + 1)).values;
    const auto beyond = std::find_if(q.begin(), q.end(), [&](double at) { return !range.contains(at); });
    const auto met = std::find_if(log.events.begin(), log.events.end(), [&](const LogEvent& event) {
      return event.kind == "contact" && event.detail == "end stop " + name;
    });
    if (beyond == q.end() && met == log.events.end()) continue;
    const double at = met == log.events.end() ? log.time[beyond - q.begin()] : met->time;
    warnings.push_back(fmt::format("joint '{}' reaches its end stop at {:.4g} s{}", name, at,
                                   e.choices.end_stops ? "\n  hint: plant.end_stops: false removes the stops"
                                                       : ", which the method of the scenario does not locate\n  hint: "
                                                         "leave run.method out, or plant.end_stops: false"));
  }
}

std::vector<Saturation> saturation_of(const PlantDescription& plant, const Log& log) {
  constexpr double close = 1 - 1e-9;
  std::vector<Saturation> all;
  for (const Motor& m : plant.motors) {
    const auto at = [&](double value, const std::optional<double>& limit) {
      return limit && std::abs(value) >= close * *limit;
    };
    const std::vector<double>&command = log.channel("u_" + m.name).values,
          &torque = log.channel("torque_" + m.name).values;
    long saturated = 0;
    for (std::size_t k = 0; k < command.size(); ++k) {
      const double current = torque[k] / m.torque_constant;
      saturated += m.command == Motor::Command::torque ? at(command[k], m.torque_limit)
                   : m.command == Motor::Command::current
                       ? at(command[k], m.current_limit) ||
                             (!m.linear && std::abs(current - command[k]) > 1e-9 * std::max(std::abs(command[k]), 1e-3))
                       : at(command[k], m.voltage_limit) || (!m.linear && at(current, m.current_limit));
    }
    if (saturated > 0) all.push_back({m.name, static_cast<double>(saturated) / static_cast<double>(command.size())});
  }
  return all;
}

}  // namespace armature::run
