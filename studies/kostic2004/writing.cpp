#include "kostic2004/writing.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/simulation/scene.hpp"

namespace armature::studies::kostic2004 {

WritingTask writing_task(const Arm& arm, double smoothing) {
  HandwritingSettings s;
  s.text = "romy";
  s.width = 0.32;
  s.duration = 7;
  s.pace = {1, 1.6, 0.8, 1.7, 0.9, 1.6, 1};
  s.smoothing = smoothing;
  s.plane.R << 1, 0, 0, 0, 0, -1, 0, 1, 0;  // x along the line, y of the page upwards: y of the world is fixed
  s.plane.p = {0.10, 0.42, 0.52};
  const Handwriting pen(s);
  WritingTask task;
  task.jumps = pen.jumps();
  const auto rows = static_cast<std::size_t>(std::lround(pen.duration() / task.tick)) + 1;
  const IkFamily family = closed_form_family(arm).value();
  VecX<double> near(3);
  near << pi / 2, 0.8, -1.5;  // elbow up
  for (std::size_t k = 0; k < rows; ++k) {
    CartesianMotion tip;
    pen.at(task.tick * static_cast<double>(k), tip);
    const IkSolutions found = closed_form_ik(arm, family, {tip.rotation, tip.position}, near);
    if (found.reach != IkReach::solved) throw Error("the writing leaves the arm's reach", "");
    const auto best = std::min_element(found.begin(), found.end(), [&](const IkSolution& a, const IkSolution& b) {
      return (a.q - near).norm() < (b.q - near).norm();
    });
    JointMotion m;
    m.q = near = best->q;
    const LinkPoses<double> poses = forward_kinematics<double>(arm, m.q);
    const Mat3<double> J = tool_jacobian<double>(arm, poses).topRows<3>();
    const Vec3<double> qd = J.lu().solve(tip.velocity);
    m.qd = qd;
    const Mat3<double> rate = tool_jacobian_rate<double>(arm, poses, m.qd).topRows<3>();
    m.qdd = J.lu().solve(tip.acceleration - rate * qd);
    task.tip.push_back(tip);
    task.motion.push_back(m);
  }
  return task;
}

void WritingTask::at(double t, JointMotion& m) const noexcept {
  const auto last = static_cast<double>(motion.size() - 1);
  m = motion[static_cast<std::size_t>(std::clamp(std::nearbyint(t / tick), 0.0, last))];
  if (t > duration() + tick / 2) {
    m.qd.setZero();
    m.qdd.setZero();
  }
}

Log writing_log(const Arm& arm, const WritingTask& task, const WritingFigures& names, std::size_t every) {
  Log log;
  for (int i = 1; i <= task.joints(); ++i) {
    log.add(fmt::format("q{}", i), "rad");
    log.add(fmt::format("v{}", i), "rad/s");
  }
  log.add("tip_speed", "m/s");
  FigureSeries path{"tip", {}, {}};
  for (std::size_t k = 0; k < task.motion.size(); k += every) {
    log.time.push_back(task.tick * static_cast<double>(k));
    for (int i = 0; i < task.joints(); ++i) {
      log.channels[2 * static_cast<std::size_t>(i)].values.push_back(task.motion[k].q[i]);
      log.channels[2 * static_cast<std::size_t>(i) + 1].values.push_back(task.motion[k].qd[i]);
    }
    log.channels.back().values.push_back(task.tip[k].velocity.norm());
    path.x.push_back(task.tip[k].position.x());
    path.y.push_back(task.tip[k].position.z());
  }
  log.figures = {{names.path, "Path of the tip", {"x", "m"}, {"z", "m"}, {path}, true, "y is fixed"}};
  log.time_figures = {{names.speed, "Speed of the tip", {"tip_speed"}},
                      {names.motions, "Motions of the joints", {"q1", "q2", "q3"}},
                      {names.speeds, "Speeds of the joints", {"v1", "v2", "v3"}}};
  add_scene(log, arm);
  return log;
}

}  // namespace armature::studies::kostic2004
