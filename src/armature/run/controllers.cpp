#include "armature/run/controllers.hpp"

#include <fmt/format.h>

#include "armature/control/joint_pd.hpp"

namespace armature {

namespace {

VecX<double> vector_of(const std::vector<double>& numbers, int n) {
  if (numbers.empty()) return VecX<double>::Zero(n);
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), n);
}

void need(const LoadedScenario& loaded, bool there, const char* key) {
  if (!there)
    loaded.refuse("controller", fmt::format("the law '{}' needs the key '{}'", loaded.scenario.controller.kind, key),
                  "see armature simulate --help-keys");
}

}  // namespace

AnyController controller_of(const LoadedScenario& loaded) {
  const ControllerSettings& s = loaded.scenario.controller;
  const int n = loaded.arm.dof();
  if (s.kind == "open_loop") return AnyController(OpenLoop{vector_of(s.tau, n)});
  need(loaded, !s.kp.empty(), "kp");
  need(loaded, !s.kd.empty(), "kd");
  return AnyController(JointPd{vector_of(s.kp, n), vector_of(s.kd, n)});
}

}  // namespace armature
