// All that a log says, as evidence.
#pragma once

#include "armature/core/error.hpp"
#include "armature/identification/evidence.hpp"
#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// Throws Error where no equation is left after processing.
inline Evidence gathered(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                         Evidence evidence) {
  stream_equations(source, model, processing, [&](const SampleEquations& s) { evidence.add(s); });
  evidence.finish();
  if (evidence.parts() == 0)
    throw Error("no equation is left after processing",
                "is the time window inside the log, and does anything move faster than the standstill threshold?");
  return evidence;
}
inline Evidence gathered(const TorqueModel& model, const MotionSource& source, const Processing& processing) {
  return gathered(model, source, processing, Evidence(model));
}

}  // namespace armature::identification
