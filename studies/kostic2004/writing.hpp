// The writing task of [Kostic2002] and [Kostic2004]: the tip writes "romy" in a vertical plane, with fast and slow phases.
#pragma once

#include <vector>

#include "armature/model/arm.hpp"
#include "armature/trajectory/handwriting.hpp"

namespace armature::kostic2004 {

/// The task in space and in the joints (closed-form inverse kinematics, elbow up), once a tick. Raw writing has corners: there
/// the accelerations are those just after.
struct WritingTask {
  double tick = 1e-3;  // [s]
  std::vector<CartesianMotion> tip;
  std::vector<JointMotion> motion;
  std::vector<Handwriting::Jump> jumps;

  [[nodiscard]] double duration() const { return tick * static_cast<double>(motion.size() - 1); }
  [[nodiscard]] int joints() const { return static_cast<int>(motion.front().q.size()); }
  void at(double t, JointMotion& m) const noexcept;
};
/// Place, size and duration are ours: the figures are not in the text. `smoothing` as in HandwritingSettings.
WritingTask writing_task(const Arm& arm, double smoothing = 0);

}  // namespace armature::kostic2004
