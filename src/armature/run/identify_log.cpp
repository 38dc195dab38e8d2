#include "armature/run/identify_log.hpp"

namespace armature::run {

namespace {

constexpr double default_standstill = 0.05;  // [rad/s]

Processing with_defaults(Processing processing, const MeasuredLog& log) {
  const Processing usual = default_processing(log);
  if (processing.standstill == 0) processing.standstill = usual.standstill;
  if (processing.torque_delay == 0) processing.torque_delay = usual.torque_delay;
  return processing;
}

}  // namespace

Processing default_processing(const MeasuredLog& log) {
  Processing processing;
  processing.standstill = default_standstill;
  processing.torque_delay = log.torque_delay();
  return processing;
}

Identification identify(const Arm& arm, const MeasuredLog& log, IdentifySettings settings) {
  settings.processing = with_defaults(settings.processing, log);
  Identification found = identify(arm, log.source(), settings);
  found.standing = log.standing();
  return found;
}

Prediction validate(const Arm& arm, const MeasuredLog& log, Processing processing, bool choose_velocity) {
  const MotionSource source = log.source();
  processing = default_processing(with_defaults(processing, log), source, arm.dof());
  return validate(arm, source, choose_velocity ? with_better_velocity(arm, source, processing) : processing);
}

}  // namespace armature::run
