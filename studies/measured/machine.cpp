#include "machine.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"

namespace armature::measured {

MotionBlock read_motion(const std::string& file, const Arm& arm, std::string_view map, bool standing_joints) {
  const LogMap columns = parse_log_map(map, "map of " + file, arm);
  MeasuredLog log(file, arm, &columns);
  std::vector<double> q, qd, tau;
  log.for_each(
      [&](const MeasuredLog::Row& row) {
        q.insert(q.end(), row.q, row.q + arm.dof());
        if (row.qd != nullptr) qd.insert(qd.end(), row.qd, row.qd + arm.dof());
        tau.insert(tau.end(), row.tau, row.tau + arm.dof());
      },
      standing_joints);
  MotionBlock block;
  block.start = log.start(), block.step = log.step();
  const auto rows = static_cast<Eigen::Index>(log.rows());
  block.q = Eigen::Map<RowMatrix>(q.data(), rows, arm.dof());
  block.tau = Eigen::Map<RowMatrix>(tau.data(), rows, arm.dof());
  if (!qd.empty()) block.qd = Eigen::Map<RowMatrix>(qd.data(), rows, arm.dof());
  return block;
}

IdentifySettings rules(const std::function<void(const std::string&)>& progress, const std::string& machine) {
  IdentifySettings settings;
  settings.processing.standstill = 0.05;
  settings.progress = [progress, machine](const std::string& step) { progress(machine + ": " + step); };
  return settings;
}

Prediction predict(const TorqueModel& model, const Eigen::VectorXd& x, const MotionBlock& log,
                   const Processing& processing) {
  PredictionRecorder recorder(model.arm(), log.step * processing.decimation);
  make_equations(model, processing, log, [&](const SampleEquations& s) {
    recorder.add(s.time, s.motion, s.torque + s.known, VecX<double>(s.rows * x) + s.known, s.counts);
  });
  return recorder.finish(model.arm().name() + ": held-out part");
}

std::string percents(const std::vector<JointError>& joints) {
  std::string text;
  for (const JointError& j : joints) text += fmt::format("{}{:.1f}", text.empty() ? "" : " ", 100 * j.relative);
  return text;
}

}  // namespace armature::measured
