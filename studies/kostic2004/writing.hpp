// The writing task of [Kostic2002] and [Kostic2004]: the tip writes "romy" in a vertical plane, with fast and slow phases.
#pragma once

#include <vector>

#include "armature/model/arm.hpp"
#include "armature/record/log.hpp"
#include "armature/trajectory/handwriting.hpp"
#include "study.hpp"

namespace armature::studies::kostic2004 {

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

/// The task to look at: the arm that writes, the path of its tip, the tip's speed, q1.. and v1.. of the joints, in every
/// `every`-th tick. Both papers show these four, each under its own numbers.
struct WritingFigures {
  std::string path, speed, motions, speeds;  // "Fig. 2(a)", ...
};
Log writing_log(const Arm& arm, const WritingTask& task, const WritingFigures& names, std::size_t every = 5);

}  // namespace armature::studies::kostic2004
