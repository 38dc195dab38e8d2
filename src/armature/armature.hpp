// The front door: an arm from its file to a controlled, simulated machine, in a few lines.
//
//   #include <armature/armature.hpp>
//
//   const armature::Arm arm = armature::load_arm("robot.urdf").arm;                       // describe
//   const auto tau = armature::inverse_dynamics<double>(arm, q, qd, qdd);                 // compute
//   const auto found = armature::identify(arm, armature::MeasuredLog("log.csv", arm));    // identify
//   const auto error = armature::validate(armature::Arm(found.arm), other_log);           // validate
//   const auto run = armature::simulate(armature::load_scenario("reach.yaml"));           // control and simulate
//   std::ofstream("page.html") << armature::page({.title = "reach", .logs = {run.log}});  // report
//
// A program that needs one part only includes that part: armature/control/computed_torque.hpp and so on. What is not an everyday name
// stands in the namespace of its room, armature::control::ComputedTorque; armature::rooms finds all of them.
#pragma once

#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/inverse_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/codegen/derive/derive.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/control/controller.hpp"
#include "armature/control/guarded.hpp"
#include "armature/control/law_settings.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/identification/excitation.hpp"
#include "armature/report/page.hpp"
#include "armature/run/identify_log.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/simulation/scene.hpp"
#include "armature/version.hpp"

namespace armature {

/// Runs a scenario and returns its log with everything that `armature simulate` prints. The same scenario gives the same log,
/// bit for bit. `progress` is told which share of the time is simulated [0, 1]; a run ends early, with the log so far, once
/// `stop` is set. A law of your own: set scenario.law.
inline RunResult simulate(const LoadedScenario& scenario, const std::atomic<bool>* stop = nullptr,
                          std::function<void(double)> progress = {}) {
  return run::run_timed(scenario, stop, std::move(progress));
}

/// Designs the motion from which the arm's base parameters are best identified, within the arm's limits and within cautious
/// ones where it states none.
inline Excitation excite(const Arm& arm, const identification::ExcitationSettings& settings = {},
                         const std::function<void(const identification::ExcitationProgress&)>& progress = {}) {
  identification::ExcitationTask task = identification::excitation_task(arm, identification::base_columns(arm));
  identification::complete_limits(arm, task.limits);
  return identification::design_excitation(task, settings, progress);
}

}  // namespace armature
