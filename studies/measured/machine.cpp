#include "machine.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"

namespace armature::studies::measured {

MotionBlock read_motion(const std::string& file, const Arm& arm, std::string_view map, bool standing_joints) {
  const MeasuredLog log(file, arm, {parse_log_map(map, "map of " + file, arm), standing_joints});
  return block_of(log.source(), arm.dof(), {}, most_held_numbers);
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

std::string percents(const std::vector<JointError>& joints, bool all_rows) {
  std::string text;
  for (const JointError& j : joints)
    text += fmt::format("{}{:.1f}", text.empty() ? "" : " ", 100 * (all_rows ? j.relative_all_rows : j.relative));
  return text;
}

}  // namespace armature::studies::measured
