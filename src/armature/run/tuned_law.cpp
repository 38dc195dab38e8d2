#include "armature/run/tuned_law.hpp"

#include <fmt/format.h>

#include "armature/control/computed_torque.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/joint_pid.hpp"

namespace armature::run {

namespace {

LawSettings& feedback_in(ControllerSettings& controller) {
  std::vector<LawSettings*> found;
  for (LawSettings* law : controller.every_law())
    for (const char* kind : {"joint_pd", "joint_pid", "computed_torque"})
      if (law->kind() == kind) found.push_back(law);
  if (found.size() == 1) return *found.front();
  throw Error(fmt::format("the controller has {} laws that gains of a joint could go into", found.size()),
              "exactly one joint_pd, joint_pid or computed_torque, alone or among the terms of a sum");
}

void check_command(const LawSettings& law, const std::string& unit) {
  if (unit.empty()) return;
  const bool torque = unit == "N m" || unit == "N", acceleration = unit.ends_with("/s^2");
  if (law.kind() == "computed_torque" ? acceleration : torque) return;
  throw Error(
      fmt::format("the responses begin at a command in '{}', which the law '{}' does not give", unit, law.kind()),
      law.kind() == "computed_torque" ? "armature frf --input part_acceleration1, with an input of the acceleration"
                                      : "armature frf --input tau1_ref, with an input of the torque");
}

/// The filters of the other joints, and the tuned ones.
std::vector<FilterSettings> replaced(const std::vector<FilterSettings>& old, int dof, int joint,
                                     const std::vector<FilterSettings>& tuned) {
  std::vector<FilterSettings> filters;
  for (FilterSettings filter : old)
    for (int other = 1; other <= dof; ++other)
      if (other != joint && (filter.joint == 0 || filter.joint == other)) {
        filters.push_back(filter);
        filters.back().joint = other;
      }
  for (FilterSettings filter : tuned) {
    filter.joint = joint;
    filters.push_back(filter);
  }
  return filters;
}

}  // namespace

ControllerSettings with_tuned_joint(const LoadedScenario& loaded, ControllerSettings controller, int joint,
                                    const LoopController& tuned, const std::string& unit) {
  const int n = loaded.arm.dof();
  if (joint < 1 || joint > n)
    throw Error(fmt::format("there is no joint {}", joint), fmt::format("joints count from 1 to {}", n));
  LawSettings& law = feedback_in(controller);
  check_command(law, unit);
  if (law.kind() == "computed_torque") {
    if (tuned.ki != 0) throw Error("computed_torque has no integral", "tune without --integral, or take a joint_pid");
    auto& s = law.as<ComputedTorqueSettings>();
    s.kp[joint - 1] = tuned.kp;
    s.kd[joint - 1] = tuned.kd;
    s.filters = replaced(s.filters, n, joint, tuned.filters);
    return controller;
  }
  if (law.kind() == "joint_pd") {
    const auto& pd = law.as<JointPdSettings>();
    LawSettings pid("joint_pid", JointPidSettings{.kp = pd.kp, .ki = VecX<double>::Zero(n), .kd = pd.kd});
    pid.name = law.name;
    pid.on = law.on;
    law = std::move(pid);
  }
  auto& s = law.as<JointPidSettings>();
  s.kp[joint - 1] = tuned.kp;
  s.ki[joint - 1] = tuned.ki;
  s.kd[joint - 1] = tuned.kd;
  s.filters = replaced(s.filters, n, joint, tuned.filters);
  return controller;
}

std::string controller_yaml(const LoadedScenario& loaded, const ControllerSettings& controller) {
  return write_settings(joint_kinds(loaded.arm),
                        [copy = controller](Fields& f) mutable { f.group("controller", copy, ""); });
}

}  // namespace armature::run
