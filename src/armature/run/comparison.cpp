#include "armature/run/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "armature/core/threads.hpp"

namespace armature::run {

namespace {

const double not_known = std::nan("");
constexpr double never = std::numeric_limits<double>::infinity();
constexpr double absurd = 1e6;  // rad, m, rad/s, m/s: where a run that ended early had lost its machine

/// When a run diverged, or when a joint's position or speed became absurd in a run that ended early; NaN where none did.
double diverged_at(const Log& log) {
  double first = not_known;
  if (log.incomplete.empty()) return first;
  if (log.incomplete.starts_with("diverged at") && !log.time.empty()) first = log.time.back();
  for (int i = 1; log.has(fmt::format("q{}", i)); ++i)
    for (const std::string& name : {fmt::format("q{}", i), fmt::format("v{}", i)}) {
      if (!log.has(name)) continue;
      const std::vector<double>& values = log.channel(name).values;
      for (std::size_t k = 0; k < values.size() && !(log.time[k] >= first); ++k)
        if (!(std::abs(values[k]) < absurd)) first = log.time[k];
    }
  return first;
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return values.empty() ? not_known : std::sqrt(sum / static_cast<double>(values.size()));
}

/// The moment, not before the reference has come to rest, from which the error stays within 2 % of the move; infinity where
/// there is none, NaN where the reference moves until the end.
double settling(const std::vector<double>& time, const std::vector<double>& wanted, const std::vector<double>& error,
                double move) {
  const auto first_of_end = [&](const auto& holds) {
    std::size_t first = time.size();
    while (first > 0 && holds(first - 1)) --first;
    return first;
  };
  const std::size_t at_rest =
      first_of_end([&](std::size_t i) { return std::abs(wanted[i] - wanted.back()) <= 1e-6 * move; });
  if (at_rest + 1 >= time.size()) return not_known;
  const std::size_t settled = first_of_end([&](std::size_t i) { return std::abs(error[i]) <= 0.02 * move; });
  return settled == time.size() ? never : time[std::max(at_rest, settled)];
}

AxisMetrics follow(const Log& log, const std::string& name) {
  const Channel& actual = log.channel(name);
  const std::vector<double>& wanted = log.channel(name + "_ref").values;
  std::vector<double> error(actual.values.size());
  for (std::size_t i = 0; i < error.size(); ++i) error[i] = wanted[i] - actual.values[i];
  AxisMetrics m;
  m.name = name;
  m.unit = actual.unit;
  m.rms = root_mean_square(error);
  m.largest = largest_magnitude(error);
  m.end = error.back();
  m.settling = m.overshoot = m.effort = m.peak = not_known;
  const double goal = wanted.back(), move = goal - actual.values.front();
  bool straight = std::abs(move) > 1e-9;  // a reference that goes there and beyond has no overshoot of its own
  for (const double r : wanted) straight = straight && (r - goal) / move <= 0.05 && (r - goal) / move >= -1.05;
  if (straight) {
    m.settling = settling(log.time, wanted, error, std::abs(move));
    m.overshoot = 0;
    for (const double value : actual.values) m.overshoot = std::max(m.overshoot, (value - goal) / move);
  }
  return m;
}

/// Angle between the tool's orientation and the wanted one, from their quaternions.
std::vector<double> turns(const Log& log) {
  std::vector<double> angles(log.time.size());
  const Channel* a[4];
  const Channel* b[4];
  const char* names[] = {"tool_qw", "tool_qx", "tool_qy", "tool_qz"};
  for (int k = 0; k < 4; ++k) {
    a[k] = &log.channel(names[k]);
    b[k] = &log.channel(std::string(names[k]) + "_ref");
  }
  for (std::size_t i = 0; i < angles.size(); ++i) {
    double dot = 0;
    for (int k = 0; k < 4; ++k) dot += a[k]->values[i] * b[k]->values[i];
    angles[i] = 2 * std::acos(std::min(1.0, std::abs(dot)));
  }
  return angles;
}

}  // namespace

double largest_magnitude(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

RunMetrics metrics_of(const Log& log) {
  RunMetrics m;
  m.name = log.title;
  m.incomplete = log.incomplete;
  for (int i = 1; log.has(fmt::format("q{}", i)); ++i) {
    AxisMetrics joint = follow(log, fmt::format("q{}", i));
    const std::string torque = fmt::format("tau{}_ref", i);
    if (log.has(torque)) {
      joint.effort = root_mean_square(log.channel(torque).values);
      joint.peak = largest_magnitude(log.channel(torque).values);
    }
    m.joints.push_back(joint);
  }
  if (log.has("tool_x_ref")) {
    std::vector<double> distance(log.time.size(), 0.0);
    for (const char* name : {"tool_x", "tool_y", "tool_z"}) {
      m.tool.push_back(follow(log, name));
      const auto& actual = log.channel(name).values;
      const auto& wanted = log.channel(std::string(name) + "_ref").values;
      for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = std::hypot(distance[i], wanted[i] - actual[i]);
    }
    const std::vector<double> angle = turns(log);
    m.tool_rms = root_mean_square(distance);
    m.tool_largest = largest_magnitude(distance);
    m.turn_rms = root_mean_square(angle);
    m.turn_largest = largest_magnitude(angle);
  }
  m.supplied = log.channel("energy_supplied").values.back();
  m.dissipated = log.channel("energy_dissipated").values.back();
  m.diverged = diverged_at(log);
  if (std::isfinite(m.diverged)) {
    for (auto* axes : {&m.joints, &m.tool})
      for (AxisMetrics& axis : *axes) {
        axis.rms = axis.largest = axis.end = axis.overshoot = axis.effort = axis.peak = not_known;
        axis.settling = never;
      }
    m.tool_rms = m.tool_largest = m.turn_rms = m.turn_largest = m.supplied = m.dissipated = not_known;
  }
  return m;
}

RunMetrics metrics_of(const RunResult& result) {
  RunMetrics m = metrics_of(result.log);
  m.tick_time = result.tick_time;
  m.real_time_factor = result.log.time.back() / result.seconds;
  return m;
}

std::vector<RunResult> run_all(const std::vector<LoadedScenario>& scenarios, int threads, const std::atomic<bool>* stop,
                               std::function<void(double)> progress) {
  const auto count = static_cast<int>(scenarios.size());
  const auto for_each = [&](const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::exception_ptr> failures(scenarios.size());
    on_threads(std::min(threads, count), [&] {
      for (std::size_t i = next++; i < scenarios.size(); i = next++) try {
          work(i);
        } catch (...) {
          failures[i] = std::current_exception();
        }
    });
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  };
  std::vector<std::optional<Experiment>> built(scenarios.size());
  for_each([&](std::size_t i) { built[i].emplace(build(scenarios[i])); });  // wrong settings, before anything runs
  std::vector<RunResult> results(scenarios.size());
  std::vector<double> shares(scenarios.size(), 0.0);
  std::mutex talking;
  for_each([&](std::size_t i) {
    results[i] = run_timed(scenarios[i], *std::exchange(built[i], std::nullopt), stop, [&, i](double share) {
      if (!progress) return;
      const std::lock_guard lock(talking);
      shares[i] = share;
      double sum = 0;
      for (const double s : shares) sum += s;
      progress(sum / static_cast<double>(shares.size()));
    });
  });
  return results;
}

}  // namespace armature::run
