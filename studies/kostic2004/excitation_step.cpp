// Section IV.C.3: excitation of 100 harmonics of 0.1 Hz within the limits of speed and acceleration.
#include <fmt/format.h>

#include <chrono>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "kostic2004/base_parameters.hpp"
#include "kostic2004/parts.hpp"

namespace armature::studies::kostic2004 {

ParameterColumns paper_parameters(const Arm& arm, bool all) {
  const ParameterColumns fifteen = columns_from_text(arm, base_parameters_text, "base_parameters.txt");
  return all ? fifteen : fifteen.without({"p4", "p15"});
}

namespace {

ExcitationTask task_of(const Arm& arm, bool all) {
  ExcitationTask task = excitation_task(arm, paper_parameters(arm, all));
  task.limits.velocity << 2 * pi, 3 * pi, 3 * pi;  // the paper's
  task.limits.acceleration.setConstant(60);
  return task;
}

Log motion_log(const Excitation& e) {
  Log log;
  log.title = "Excitation trajectory";
  const FourierPath path = e.motion.path();
  std::vector<std::vector<double>*> columns;
  for (const char* name : {"q", "v", "a"})
    for (int i = 1; i <= joints; ++i)
      log.add(fmt::format("{}{}", name, i), *name == 'q' ? "rad" : *name == 'v' ? "rad/s" : "rad/s^2");
  JointMotion m;
  for (int k = 0; k <= 2000; ++k) {
    const double t = path.duration() * k / 2000;
    path.at(t, m);
    log.time.push_back(t);
    std::size_t next = 0;
    for (const VecX<double>* values : {&m.q, &m.qd, &m.qdd})
      for (int i = 0; i < joints; ++i) log.channels[next++].values.push_back((*values)[i]);
  }
  log.time_figures = {{"Fig. 8", "Motions of the excitation trajectory", {"q1", "q2", "q3"}},
                      {"", "Speeds", {"v1", "v2", "v3"}},
                      {"", "Accelerations", {"a1", "a2", "a3"}}};
  return log;
}

}  // namespace

ExcitationStep excitation_step(const Laboratory& lab, const Say& say) {
  say("excitation trajectory");
  const ExcitationSettings settings{.base_frequency = 0.1, .harmonics = 100};
  const ExcitationTask task = task_of(lab.rigid_arm(), false);
  const auto progress = [&](const ExcitationProgress& p) {
    say(fmt::format("excitation trajectory: {}, condition number {:.3f}", p.stage, p.best));
  };
  const auto begin = std::chrono::steady_clock::now();
  ExcitationStep step;
  step.designed = design_excitation(task, settings, progress);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Excitation& e = step.designed;
  step.claims.push_back(
      {"excitation", "100 harmonics of 0.1 Hz, |v| <= 2π, 3π, 3π rad/s, |a| <= 60 rad/s^2", "condition number 3.1",
       fmt::format(
           "condition number {:.3f}; speeds up to {:.2f}, {:.2f}, {:.2f} rad/s, accelerations up to {:.1f}, {:.1f}, "
           "{:.1f} rad/s^2 at any time",
           e.condition, e.use.largest_velocity[0], e.use.largest_velocity[1], e.use.largest_velocity[2],
           e.use.largest_acceleration[0], e.use.largest_acceleration[1], e.use.largest_acceleration[2]),
       e.condition <= 1.40 && e.within_limits(),
       fmt::format("13 columns (p4 = p15 = 0), one period at 1 ms; 1.40 is asked for; found in {:.0f} s", seconds)});

  ExcitationTask fifteen = task_of(lab.rigid_arm(), true), torques = task;
  const Excitation all = judge_excitation(fifteen, e.motion, settings.rate);
  torques.limits.torque = nominal_torque;
  ExcitationSettings quick = settings;
  quick.starts = 8;
  const Excitation limited = design_excitation(torques, quick, progress);
  step.claims.push_back({"excitation, torques", "the same within the nominal torques 60, 30, 15 N m", "not given",
                         fmt::format("condition number {:.3f} with torques up to {:.1f}, {:.1f}, {:.1f} N m; the "
                                     "unlimited motion has {:.3f} with all "
                                     "15 columns and {:.1f}, {:.1f}, {:.1f} N m",
                                     limited.condition, limited.use.largest_torque[0], limited.use.largest_torque[1],
                                     limited.use.largest_torque[2], all.condition, e.use.largest_torque[0],
                                     e.use.largest_torque[1], e.use.largest_torque[2]),
                         limited.condition <= 1.40 && limited.within_limits(), "friction included"});
  Log log = motion_log(e);
  LogTable singular{
      "Singular values of the stacked regressor, by sample", {"", "largest", "smallest", "condition"}, {}};
  const auto row = [&](const char* name, const Excitation& x) {
    singular.rows.push_back({name, fmt::format("{:.4f}", x.singular_values[0]),
                             fmt::format("{:.4f}", x.singular_values[x.singular_values.size() - 1]),
                             fmt::format("{:.4f}", x.condition)});
  };
  row("13 columns", e);
  row("15 columns", all);
  row("13 columns, nominal torques", limited);
  log.tables.push_back(singular);
  step.logs = {log};
  return step;
}

}  // namespace armature::studies::kostic2004
