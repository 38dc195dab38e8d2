#include "armature/run/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

namespace armature {

namespace {

const double none = std::nan("");

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return values.empty() ? none : std::sqrt(sum / static_cast<double>(values.size()));
}
double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

AxisMetrics follow(const Log& log, const std::string& name) {
  const Channel& actual = log.channel(name);
  const std::vector<double>& wanted = log.channel(name + "_ref").values;
  std::vector<double> error(actual.values.size());
  for (std::size_t i = 0; i < error.size(); ++i) error[i] = wanted[i] - actual.values[i];
  AxisMetrics m;
  m.name = name, m.unit = actual.unit;
  m.rms = root_mean_square(error), m.largest = largest(error), m.end = error.back();
  m.settling = m.overshoot = m.effort = m.peak = none;
  const double goal = wanted.back(), move = goal - actual.values.front();
  bool straight = std::abs(move) > 1e-9;  // a reference that goes there and beyond has no overshoot of its own
  for (const double r : wanted) straight = straight && (r - goal) / move <= 0.05 && (r - goal) / move >= -1.05;
  if (straight) {
    std::size_t last = error.size();  // first sample from which the error stays small
    while (last > 0 && std::abs(error[last - 1]) <= 0.02 * std::abs(move)) --last;
    if (last < error.size()) m.settling = log.time[last];
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
  for (int k = 0; k < 4; ++k) a[k] = &log.channel(names[k]), b[k] = &log.channel(std::string(names[k]) + "_ref");
  for (std::size_t i = 0; i < angles.size(); ++i) {
    double dot = 0;
    for (int k = 0; k < 4; ++k) dot += a[k]->values[i] * b[k]->values[i];
    angles[i] = 2 * std::acos(std::min(1.0, std::abs(dot)));
  }
  return angles;
}

}  // namespace

RunMetrics metrics_of(const Log& log) {
  RunMetrics m;
  m.name = log.title, m.incomplete = log.incomplete;
  for (int i = 1; log.has(fmt::format("q{}", i)); ++i) {
    AxisMetrics joint = follow(log, fmt::format("q{}", i));
    const std::string torque = fmt::format("tau{}_ref", i);
    if (log.has(torque)) {
      joint.effort = root_mean_square(log.channel(torque).values);
      joint.peak = largest(log.channel(torque).values);
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
    m.tool_rms = root_mean_square(distance), m.tool_largest = largest(distance);
    m.turn_rms = root_mean_square(angle), m.turn_largest = largest(angle);
  }
  m.supplied = log.channel("energy_supplied").values.back();
  m.dissipated = log.channel("energy_dissipated").values.back();
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
  std::vector<RunResult> results(scenarios.size());
  std::vector<std::exception_ptr> failures(scenarios.size());
  std::vector<double> shares(scenarios.size(), 0.0);
  std::mutex talking;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < scenarios.size(); i = next++) {
      try {
        results[i] = run_timed(scenarios[i], stop, [&, i](double share) {
          if (!progress) return;
          const std::lock_guard lock(talking);
          shares[i] = share;
          double sum = 0;
          for (const double s : shares) sum += s;
          progress(sum / static_cast<double>(shares.size()));
        });
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> pool;
  for (int i = 1; i < std::min(threads, static_cast<int>(scenarios.size())); ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace armature
