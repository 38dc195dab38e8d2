// Section V: the writing task with PD alone and with the nominal torques; Figs 7 to 9 and (16).
#include <fmt/format.h>

#include "kostic2002/kostic2002.hpp"
#include "kostic2004/parts.hpp"

namespace armature::studies::kostic2002 {

void writing(StudyResult& result) {
  using namespace kostic2004;
  const Laboratory lab;
  const Arm& arm = lab.rigid_arm();
  const WritingTask task = writing_task(arm);
  Log log;
  log.title = "Writing with PD alone and with the nominal torques";
  FigureSeries wanted{"reference", {}, {}};
  for (std::size_t k = 0; k < task.tip.size(); k += 5) {
    wanted.x.push_back(task.tip[k].position[0]);
    wanted.y.push_back(task.tip[k].position[2]);
  }
  double error[2];
  VecX<double> nominal(3), corrective(3);
  for (const bool model : {false, true}) {
    AnyController law = feed_forward_pd(arm, {model, model, model, model}, weak_gains());
    const Log run = lab.run(law, follow(task), task.duration(), task.motion.front().q);
    const TipError tip = tip_error(arm, task, run);
    error[model] = tip.rms;
    FigureSeries line{"written", {}, {}};
    for (std::size_t k = 0; k < tip.path.size(); k += 5) {
      line.x.push_back(tip.path[k][0]);
      line.y.push_back(tip.path[k][2]);
    }
    log.figures.push_back({model ? "Fig. 8" : "Fig. 7",
                           model ? "Written with PD and nominal control" : "Written with PD control only",
                           {"x", "m"},
                           {"z", "m"},
                           {wanted, line},
                           true});
    if (!model) continue;
    for (int i = 0; i < 3; ++i) {
      nominal[i] = rms(channel(run, "part_model", i));
      corrective[i] = rms(channel(run, "part_pd", i));
    }
    log.time = run.time;
    log.add("nominal2", "N m").values = channel(run, "part_model", 1);
    log.add("corrective2", "N m").values = channel(run, "part_pd", 1);
  }
  log.time_figures = {{"Fig. 9", "Parts of the control of the second joint", {"nominal2", "corrective2"}}};
  result.logs.push_back(log);
  result.claims.push_back(
      {"writing", "with the nominal torques the letters are written better", "Figs 7, 8",
       fmt::format("tip error {:.2f} mm r.m.s. against {:.2f} mm with PD alone: {:.1f} times", 1e3 * error[1],
                   1e3 * error[0], error[0] / error[1]),
       error[0] >= 3 * error[1],
       "3 times is asked for; the laboratory of kostic2004, the believed arm is rrr, gains are ours"});
  result.claims.push_back({"nominal part dominates", "the model does most of the work, the PD controllers correct",
                           "r.m.s. 0.25, 1.98, 0.78 V against 0.11, 0.24, 0.17 V (16)",
                           fmt::format("{:.2f}, {:.2f}, {:.2f} N m against {:.2f}, {:.2f}, {:.2f} N m", nominal[0],
                                       nominal[1], nominal[2], corrective[0], corrective[1], corrective[2]),
                           (nominal.array() > corrective.array()).all(),
                           "torque constants are not given: torques instead of volts"});
}

}  // namespace armature::studies::kostic2002
