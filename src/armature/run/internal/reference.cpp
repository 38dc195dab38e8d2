#include "armature/run/internal/reference.hpp"

#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/core/random.hpp"

namespace armature::run {

namespace {

bool of_the_tool(const std::string& kind) {
  for (const char* tool : {"pose", "line", "arc", "circle", "polyline", "writing"})
    if (kind == tool) return true;
  return false;
}

/// Where the joints' reference takes the tool.
void complete_tool(const Arm& arm, Reference& r, ToolPart part = ToolPart::motion) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, r.q);
  r.X_WT = tool_pose(arm, poses);
  if (part == ToolPart::pose) return;
  const Mat6X<double> J = tool_jacobian(arm, poses);
  r.twist = J * r.qd;
  r.acceleration = J * r.qdd + tool_jacobian_rate(arm, poses, r.qd) * r.qd;
}

/// Noise that is a function of time: a fresh value every `hold` seconds, the same whenever it is asked for.
struct Noise {
  VecX<double> joints;  // standard deviations [rad | m]
  double tool = 0;      // [m]
  double hold = 1e-3;   // [s]
  std::uint64_t seed = 1;

  [[nodiscard]] Random at(double t) const {
    const auto cell = static_cast<std::uint64_t>(std::llround(std::floor(t / hold + 1e-6)));
    Random mixed(seed * 0x9e3779b97f4a7c15ULL + cell);
    return Random(mixed.bits());
  }
};

}  // namespace

double time_of_round(double since, double duration, int repeat) {
  if (repeat < 2 || !(since > 0) || !(duration > 0)) return since;
  return since - duration * std::min(std::floor(since / duration), repeat - 1.0);
}

Reference standing(const Arm& arm, const VecX<double>& q) {
  Reference r;
  r.q = q;
  r.qd = r.qdd = VecX<double>::Zero(q.size());
  complete_tool(arm, r);
  return r;
}

ReferenceSource reference_of(const LoadedScenario& loaded, const VecX<double>& start,
                             std::vector<std::string>& warnings, ToolPart tool) {
  const ReferenceSettings& s = loaded.scenario.reference;
  const bool of_tool = of_the_tool(s.kind), complete = tool != ToolPart::none && !of_tool;
  const Eigen::Index n = loaded.arm.dof();
  const VecX<double> from = s.from.empty() ? start : VecX<double>(Eigen::Map<const Eigen::VectorXd>(s.from.data(), n));
  const ReferenceSource motion = loaded.placed(
      "reference", [&] { return of_tool ? tool_reference(loaded, from, warnings) : joint_reference(loaded, from); });
  for (std::size_t i = 1; i < s.push.size(); ++i)
    if (s.push[i].from < s.push[i - 1].from)
      loaded.refuse("reference.push", "reference.push is not in order of time", "sort its items by `from`");

  Noise noise{
      .joints = VecX<double>::Zero(n), .tool = s.tool_noise, .seed = static_cast<std::uint64_t>(loaded.scenario.seed)};
  if (!s.noise.empty()) noise.joints = Eigen::Map<const Eigen::VectorXd>(s.noise.data(), n);
  noise.hold = s.noise_hold > 0 ? s.noise_hold : loaded.scenario.run.tick;
  const bool noisy = !s.noise.empty() || s.tool_noise > 0;
  return [motion, complete, tool, noisy, noise, arm = loaded.believed, push = s.push](double t, Reference& r) {
    motion(t, r);
    Random random = noise.at(noisy ? t : 0);
    if (noisy)
      for (Eigen::Index i = 0; i < r.q.size(); ++i) r.q[i] += noise.joints[i] * random.normal();
    if (complete) complete_tool(arm, r, tool);
    if (noise.tool > 0 && tool != ToolPart::none)
      for (int i = 0; i < 3; ++i) r.X_WT.p[i] += noise.tool * random.normal();
    r.wrench.setZero();
    for (const PushSettings& p : push)
      if (p.from <= t) r.wrench = p.wrench;
  };
}

}  // namespace armature::run
