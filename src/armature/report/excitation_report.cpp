#include "armature/report/excitation_report.hpp"

#include <fmt/format.h>

#include "armature/simulation/scene.hpp"

namespace armature::report {

Report excitation_report(const ExcitationTask& task, const Excitation& e, Log log) {
  const Arm& arm = task.arm;
  add_scene(log, arm);
  FigureSeries values{"singular value", {}, {}, FigureSeries::Style::bars};
  for (Eigen::Index i = 0; i < e.singular_values.size(); ++i) {
    values.x.push_back(static_cast<double>(i + 1));
    values.y.push_back(e.singular_values[i]);
  }
  log.figures.push_back(
      {"", "Singular values of the stacked regressor, by sample", {"number", ""}, {"value", "", true}, {values}});
  std::vector<std::string> joints;
  std::vector<FigureSeries> shares;
  for (int i = 0; i < arm.dof(); ++i) joints.push_back(arm.joint(i).name);
  const std::pair<const char*, const VecX<double>*> kinds[] = {{"position", &e.use.position},
                                                               {"speed", &e.use.velocity},
                                                               {"acceleration", &e.use.acceleration},
                                                               {"torque", &e.use.torque}};
  for (const auto& [name, share] : kinds) {
    FigureSeries series{name, {}, {}, FigureSeries::Style::bars};
    for (int i = 0; i < arm.dof(); ++i) {
      series.x.push_back(i + 1);
      series.y.push_back(100 * (*share)[i]);
    }
    if (share->maxCoeff() > 0) shares.push_back(series);
  }
  log.figures.push_back({"", "How much of each limit is used", {"joint", "", false, joints}, {"share", "%"}, shares});
  Report report{.kind = "excite", .title = "Excitation of " + arm.name()};
  report.subtitle = fmt::format("{} parameters, {} harmonics of {:g} Hz: condition number {:.4f}", task.columns.count(),
                                e.motion.harmonics(), e.motion.base_frequency, e.condition);
  report.logs = {std::move(log)};
  return report;
}

}  // namespace armature::report
