// Tasks 22 to 25: torques from outside, collisions, noise.
#include <fmt/format.h>

#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/control/external_torque.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "tum2019.hpp"

namespace armature::studies::tum2019 {

using namespace laboratory;

namespace {

constexpr double push_from = 1;  // [s]

/// The arm of task 5 on a move of two seconds, pushed at its tool with 20 N.
std::string pushing(const std::string& watch, const std::string& more = "", const std::string& push = "20 N") {
  return scenario(
      "collision",
      "start: {q: [10 deg, 40 deg, 50 deg]}\nplant: {viscous: [0.5, 0.5, 0.5], torque_limits: false, wrenches: "
      "[{from: 1 s, to: 1.5 s, force: [0, " +
          push +
          ", 0]}]}\n"
          "reference: {kind: polynomial, to: [40 deg, 20 deg, 80 deg], duration: 2 s}\nbelief: {viscous: [0.5, 0.5, "
          "0.5]}\ncontroller:\n  kind: sum\n"
          "  terms:\n    - {kind: gravity}\n    - {kind: friction, speed: measured}\n"
          "    - {kind: joint_pd, name: pd, kp: [120, 80, 30], kd: [24, 11, 2.5]}\n"
          "  collision: {" +
          watch + "}\n" + more + "run: {duration: 2.5 s}\n");
}
Log pushed(const std::string& watch, const std::string& more = "", const std::string& push = "20 N") {
  return simulated(pushing(watch, more, push));
}

/// Adds the true torques J^T F as outside1.., and says how far the estimate is from them, as RMS over all joints.
double estimate_error(Log& log, double from, double to) {
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  for (int k = 1; k <= 3; ++k) log.add(fmt::format("outside{}", k), "N m");
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < log.time.size(); ++i) {
    const Mat6X<double> J = tool_jacobian(arm, forward_kinematics<double>(arm, joints(log, i)));
    Vec6<double> wrench = Vec6<double>::Zero();
    for (int k = 0; k < 3; ++k) wrench[k] = log.channel(std::string("force_") + "xyz"[k]).values[i];
    const VecX<double> outside = J.transpose() * wrench;
    for (int k = 0; k < 3; ++k) log.channel(fmt::format("outside{}", k + 1)).values.push_back(outside[k]);
    if (log.time[i] < from || log.time[i] > to) continue;
    sum += (joints(log, i, "part_external_torque") - outside).squaredNorm();
    count += 3;
  }
  return std::sqrt(sum / count);
}

/// How far (18b) must be off by the tracking error alone: the model's torques of the wanted motion less those that acted, through
/// the low-pass of the estimate, against outside1.. as above.
double tracking_error_as_force(const std::string& text, const Log& log, double gain, double from, double to) {
  const LoadedScenario loaded = scenario_from_text(text, "study", {}, built_in_kernels());
  const ReferenceSource reference = build(loaded).reference;
  Reference r;
  VecX<double> estimate = VecX<double>::Zero(3);
  double sum = 0, count = 0;
  for (std::size_t i = 1; i < log.time.size(); ++i) {
    reference(log.time[i], r);
    const VecX<double> left =
        inverse_dynamics<double>(loaded.arm, r.q, r.qd, r.qdd) + 0.5 * r.qd - joints(log, i - 1, "tau");
    estimate += (1 - std::exp(-gain * (log.time[i] - log.time[i - 1]))) * (left - estimate);
    if (log.time[i] < from || log.time[i] > to) continue;
    sum += (estimate - joints(log, i, "outside")).squaredNorm();
    count += 3;
  }
  return std::sqrt(sum / count);
}

std::string watch(const char* method, double gain, const char* reaction = "none",
                  const char* threshold = "1e3, 1e3, 1e3") {
  return fmt::format("method: {}, gain: {} 1/s, threshold: [{}], reaction: {}", method, gain, threshold, reaction);
}

void task_22(StudyResult& result) {
  Log momentum = pushed(watch("momentum", 100)), measured = pushed(watch("measured", 100)),
      desired = pushed(watch("desired", 100));
  const double a = estimate_error(momentum, 1.1, 1.45), b = estimate_error(measured, 1.1, 1.45),
               c = estimate_error(desired, 1.1, 1.45);
  double size = 0;
  for (int k = 1; k <= 3; ++k) size = std::max(size, largest(momentum, fmt::format("outside{}", k)));
  const double quiet = [&] {
    double most = 0;
    for (std::size_t i = 0; i < momentum.time.size(); ++i)
      if (momentum.time[i] < push_from)
        most = std::max(most, joints(momentum, i, "part_external_torque").cwiseAbs().maxCoeff());
    return most;
  }();
  result.claims.push_back(
      {"task 22", "the momentum observer finds the torque from outside", "problem 2.7.4",
       fmt::format("RMS error {:.3f} N m while up to {:.1f} N m act; {:.1e} N m while none act", a, size, quiet),
       a < 0.02 * size && quiet < 0.02 * size, "K_I = 100 1/s; 20 N at the tool from 1 to 1.5 s of a 2 s move"});
  const double expected = tracking_error_as_force(pushing(watch("desired", 100)), desired, 100, 1.1, 1.45);
  result.claims.push_back(
      {"(18)",
       "by the momentum and from the measured motion alike; the wanted motion takes a tracking error for a force",
       "two ways in (18)",
       fmt::format("RMS error {:.3f}, {:.3f}, {:.3f} N m; the tracking error of the last is a torque of {:.3f} N m", a,
                   b, c, expected),
       std::abs(a / b - 1) < 0.05 && std::abs(c / expected - 1) < 0.02, "5 % and 2 % are asked for"});
  momentum.add("measured1", "N m").values = measured.channel("part_external_torque1").values;
  momentum.add("desired1", "N m").values = desired.channel("part_external_torque1").values;
  momentum.time_figures = {
      {"task 22", "Torque from outside at joint 1", {"outside1", "part_external_torque1", "measured1", "desired1"}}};
  result.logs.push_back(kept(std::move(momentum), "task 22: torques from outside"));
}

/// When a run first tells of a collision [s]; 0: never.
double first_alarm(const Log& log) {
  for (std::size_t i = 0; i < log.time.size(); ++i)
    if (static_cast<unsigned>(log.channel("status").values[i]) & static_cast<unsigned>(Condition::collision))
      return log.time[i];
  return 0;
}

void task_23(StudyResult& result) {
  Log log = pushed(watch("momentum", 100, "stop", "2, 2, 1"));
  const double detected = first_alarm(log);
  const Log free = pushed(watch("momentum", 100, "stop", "2, 2, 1"), "", "0 N");
  double after = 0;
  for (const char* v : {"v1", "v2", "v3"}) after = std::max(after, largest(log, v, 2.4));
  result.claims.push_back(
      {"task 23", "the impact is detected and the arm stops", "representative plots",
       fmt::format("{:.0f} ms after contact; joints stand with {:.0e} rad/s at the end; no alarm without impact",
                   (detected - push_from) * 1e3, after),
       detected > push_from && detected < push_from + 0.02 && after < 0.05 && first_alarm(free) == 0,
       "thresholds 2, 2, 1 N m, ours"});
  log.time_figures = {
      {"task 23", "Estimate", {"part_external_torque1", "part_external_torque2", "part_external_torque3"}},
      {"task 23", "Joint speeds", {"v1", "v2", "v3"}}};
  result.logs.push_back(kept(std::move(log), "task 23: a collision"));
}

const std::string sensor_noise = "sensors: {position_noise: 1e-5, speed_noise: 2e-3}\n";

/// Deviation of the estimate at each joint for the noise above, where the arm stands.
VecX<double> estimated_noise(double gain) {
  VecX<double> q(3);
  q << 10 * deg, 40 * deg, 50 * deg;
  return external_torque_noise(catalogue_arm("planar3r", built_in_kernels()), q, VecX<double>::Constant(3, 2e-3), gain,
                               1e-3);
}

/// Thresholds from the noise, so that one in 1e6 runs of 2.5 s has a false alarm.
void task_24(StudyResult& result) {
  const double gain = 40, factor = threshold_factor(1e-6, 2500);
  const VecX<double> sigma = estimated_noise(gain);
  const std::string designed = watch(
      "momentum", gain, "none",
      fmt::format("{:.3f}, {:.3f}, {:.3f}", 0.3 + factor * sigma[0], 0.3 + factor * sigma[1], 0.3 + factor * sigma[2])
          .c_str());
  int alarms = 0, found = 0;
  double slowest = 0;
  for (int seed = 1; seed <= 20; ++seed)
    for (const char* push : {"0 N", "20 N"}) {
      const Log log = pushed(designed, sensor_noise + fmt::format("seed: {}\n", seed), push);
      const double first = first_alarm(log);
      const bool hit = push[0] == '2';
      if (first > 0 && (!hit || first < push_from)) ++alarms;
      if (hit && first >= push_from) {
        ++found;
        slowest = std::max(slowest, first - push_from);
      }
    }
  result.claims.push_back(
      {"task 24", "a gain that rejects the noise and is still fast", "design K_I",
       fmt::format("{} of 20 impacts detected, the last after {:.0f} ms; {} false alarms in 40 runs", found,
                   slowest * 1e3, alarms),
       found == 20 && alarms == 0 && slowest < 0.06,
       fmt::format("K_I = 40 1/s; thresholds 0.3 N m and {:.1f} standard deviations of the predicted noise", factor)});
}

void tasks_24_and_25(StudyResult& result) {
  LogTable table{"Tasks 24 and 25: gain of the observer",
                 {"K_I [1/s]", "rise 10-90 % [ms]", "2.2/K_I [ms]", "noise, joint 1 [N m]", "predicted [N m]"},
                 {}};
  Log all;
  std::vector<std::string> curves;
  double worst_rise = 0, worst_noise = 0, noises[3] = {}, rises[3] = {};
  std::size_t k = 0;
  for (const double gain : {10.0, 40.0, 160.0}) {
    // a steady push on a standing arm: the estimate is the step response of the observer
    const std::string still = fmt::format(
        "start: {{q: [10 deg, 40 deg, 50 deg]}}\nplant: {{friction: false, torque_limits: false, wrenches: [{{from: 1 "
        "s, to: 3 s, force: [0, 20 N, 0]}}]}}\n"
        "reference: {{kind: hold}}\ncontroller:\n  kind: sum\n  terms:\n    - {{kind: gravity}}\n"
        "    - {{kind: joint_pd, name: pd, kp: [3000, 1500, 300], kd: [120, 40, 6]}}\n  collision: {{{}}}\n",
        watch("momentum", gain));
    const Log clean = simulated(scenario("task 25", still + "run: {duration: 2 s, tick: 0.5 ms}\n"));
    const std::vector<double>& r = clean.channel("part_external_torque1").values;
    const double final = r.back();
    double t10 = 0, t90 = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (t10 == 0 && clean.time[i] > 1 && r[i] > 0.1 * final) t10 = clean.time[i];
      if (t90 == 0 && clean.time[i] > 1 && r[i] > 0.9 * final) t90 = clean.time[i];
    }
    const Log noisy = simulated(scenario("task 24", still + sensor_noise + "run: {duration: 1 s, tick: 1 ms}\n"));
    const double sigma = root_mean_square(noisy, "part_external_torque1", 0.3);
    const double predicted = estimated_noise(gain)[0];
    rises[k] = t90 - t10;
    noises[k++] = sigma;
    worst_rise = std::max(worst_rise, std::abs((t90 - t10) * gain / std::log(9) - 1));
    worst_noise = std::max(worst_noise, std::abs(sigma / predicted - 1));
    table.rows.push_back({fmt::format("{}", gain), fmt::format("{:.1f}", (t90 - t10) * 1e3),
                          fmt::format("{:.1f}", std::log(9) / gain * 1e3), fmt::format("{:.3f}", sigma),
                          fmt::format("{:.3f}", predicted)});
    if (all.time.empty()) all.time = clean.time;
    curves.push_back(fmt::format("K_I {}", gain));
    all.add(curves.back(), "N m").values = r;
  }
  result.claims.push_back({"task 25", "a higher gain is faster and noisier", "plot different K_I",
                           fmt::format("rise {:.0f}, {:.0f}, {:.0f} ms = 2.2/K_I to {:.0f} %; noise {:.3f}, {:.3f}, "
                                       "{:.3f} N m as predicted to {:.0f} %",
                                       rises[0] * 1e3, rises[1] * 1e3, rises[2] * 1e3, 100 * worst_rise, noises[0],
                                       noises[1], noises[2], 100 * worst_noise),
                           worst_rise < 0.1 && worst_noise < 0.25 && rises[0] > rises[1] && rises[1] > rises[2] &&
                               noises[0] < noises[1] && noises[1] < noises[2],
                           "K_I = 10, 40, 160 1/s; speed noise 2 mrad/s at 1 kHz, ours"});
  task_24(result);
  all.title = "tasks 24 and 25: gain and noise of the observer";
  all.tables.push_back(table);
  all.time_figures = {{"task 25", "Estimate at joint 1 after a push at 1 s", curves}};
  result.logs.push_back(std::move(all));
}

}  // namespace

void collisions(StudyResult& result) {
  task_22(result);
  task_23(result);
  tasks_24_and_25(result);
}

}  // namespace armature::studies::tum2019
