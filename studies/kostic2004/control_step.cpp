// Section IV.C.5, second part: the writing task with parts of the model as feed-forward; Table IV and Fig 16.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/control/feed_forward.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/term_sum.hpp"
#include "kostic2004/parts.hpp"
#include "kostic2004/writing.hpp"

namespace armature::studies::kostic2004 {

namespace {

struct Case {
  const char* name;
  DynamicTerms terms;
  std::array<double, 3>
      paper;  // standard deviations [mm]; z of cases 3 and 5 as the text asks for, not as Table IV prints them
};

const std::array<Case, 6> cases{{
    {"PD only", {false, false, false, false}, {1.0586183, 1.7499008, 4.5700627}},
    {"PD + friction", {false, false, false, true}, {0.8937624, 1.6946019, 3.7535460}},
    {"PD + friction, inertia", {true, false, false, true}, {0.8514829, 1.4393078, 3.3575332}},
    {"PD + friction, Coriolis", {false, true, false, true}, {0.9144705, 1.7196776, 3.7666039}},
    {"PD + friction, gravity", {false, false, true, true}, {0.7174938, 0.4644522, 1.7217765}},
    {"PD + the whole model", {true, true, true, true}, {0.3269994, 0.2522228, 1.0738162}},
}};

}  // namespace

PdGains weak_gains() {  // ours: a visible error with PD alone, as in Fig 16
  return {(VecX<double>(3) << 1500, 1300, 260).finished(), (VecX<double>(3) << 60, 40, 8).finished()};
}

AnyController feed_forward_pd(const Arm& believed, const DynamicTerms& which, const PdGains& gains) {
  return AnyController(Observed(observer(VecX<double>::Constant(joints, 3000)),
                                AnyController(TermSum(joints,
                                                      terms(Term{"pd", AnyController(JointPd{gains.kp, gains.kd})},
                                                            Term{"model", AnyController(FeedForward(believed, which))}),
                                                      0))));
}

TipError tip_error(const Arm& arm, const WritingTask& task, const Log& log) {
  TipError e;
  const std::size_t n = task.tip.size();
  Vec3<double> sum = Vec3<double>::Zero(), square = sum;
  for (std::size_t k = 0; k < n; ++k) {
    VecX<double> q(joints);
    for (int i = 0; i < joints; ++i) q[i] = channel(log, "q_meas", i)[k];
    const Vec3<double> p = tool_pose(arm, forward_kinematics<double>(arm, q)).p, off = p - task.tip[k].position;
    e.path.push_back(p);
    sum += off;
    square += off.cwiseAbs2();
  }
  const auto count = static_cast<double>(n);
  e.deviation = (square / count - (sum / count).cwiseAbs2()).cwiseSqrt();
  e.rms = std::sqrt(square.sum() / count);
  return e;
}

Step control_step(const Laboratory& lab, const Arm& identified, const Say& say) {
  const WritingTask task = writing_task(lab.rigid_arm());
  Step step;
  Log log;
  log.title = "Six control cases in the writing task";
  LogTable table{"Table IV: standard deviation of the tip's error [mm], ours and the paper's",
                 {"case", "", "x", "y", "z", "x paper", "y paper", "z paper"},
                 {}};
  FigureSeries wanted{"reference", {}, {}};
  for (std::size_t k = 0; k < task.tip.size(); k += 5) {
    wanted.x.push_back(task.tip[k].position[0]);
    wanted.y.push_back(task.tip[k].position[2]);
  }
  std::array<Vec3<double>, 6> ours;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    say(fmt::format("control case {}", c + 1));
    AnyController law = feed_forward_pd(identified, cases[c].terms, weak_gains());
    const Log run = lab.run(law, follow(task), task.duration(), task.motion.front().q);
    const TipError error = tip_error(lab.rigid_arm(), task, run);
    ours[c] = 1e3 * error.deviation;
    table.rows.push_back({std::to_string(c + 1), cases[c].name, fmt::format("{:.3f}", ours[c][0]),
                          fmt::format("{:.3f}", ours[c][1]), fmt::format("{:.3f}", ours[c][2]),
                          fmt::format("{:.3f}", cases[c].paper[0]), fmt::format("{:.3f}", cases[c].paper[1]),
                          fmt::format("{:.3f}", cases[c].paper[2])});
    FigureSeries line{"written", {}, {}};
    for (std::size_t k = 0; k < error.path.size(); k += 5) {
      line.x.push_back(error.path[k][0]);
      line.y.push_back(error.path[k][2]);
    }
    log.figures.push_back(
        {"Fig. 16", fmt::format("Case {}: {}", c + 1, cases[c].name), {"x", "m"}, {"z", "m"}, {wanted, line}, true});
  }
  log.tables.push_back(table);
  step.logs.push_back(log);

  bool gravity_helps = true, best = true;
  double least_gain = 1e9;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t c = 0; c < 4; ++c)
      if (axis > 0) gravity_helps = gravity_helps && std::max(ours[4][axis], ours[5][axis]) < ours[c][axis];
    for (std::size_t c = 0; c < 5; ++c) best = best && ours[5][axis] < ours[c][axis];
    least_gain = std::min(least_gain, ours[0][axis] / ours[5][axis]);
  }
  step.claims.push_back(
      {"cases 5 and 6", "with gravity compensated the tip errs less than without, in y and z", "Table IV",
       fmt::format("y: {:.2f} and {:.2f} mm against {:.2f} mm at best; z: {:.2f} and {:.2f} against {:.2f}", ours[4][1],
                   ours[5][1], std::min({ours[0][1], ours[1][1], ours[2][1], ours[3][1]}), ours[4][2], ours[5][2],
                   std::min({ours[0][2], ours[1][2], ours[2][2], ours[3][2]})),
       gravity_helps,
       fmt::format("standard deviations; z of cases 3 and 5 is swapped in the printed table. In y case 5 wins by "
                   "{:.0f} % only (in print 3 times)",
                   100 * (std::min({ours[0][1], ours[1][1], ours[2][1], ours[3][1]}) / ours[4][1] - 1))});
  step.claims.push_back({"case 6", "the whole model is best", "3.2, 6.9, 4.3 times better than PD alone",
                         fmt::format("{:.1f}, {:.1f}, {:.1f} times better than PD alone", ours[0][0] / ours[5][0],
                                     ours[0][1] / ours[5][1], ours[0][2] / ours[5][2]),
                         best && least_gain >= 3,
                         "3 times in every axis is asked for; identical weak gains (ours) in all cases"});
  return step;
}

}  // namespace armature::studies::kostic2004
