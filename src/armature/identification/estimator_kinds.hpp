// Estimators by kind: what each needs of a log, brought together from it.
#pragma once

#include "armature/identification/estimators.hpp"
#include "armature/identification/motion_source.hpp"

namespace armature::identification {

enum class Estimator {
  ordinary,        ///< all joints alike
  weighted,        ///< joints by their residuals
  robust,          ///< large residuals count less
  total,           ///< errors in the columns too
  likelihood,      ///< noise that joints share
  instruments,     ///< the reference motion as instruments
  recursive,       ///< equation by equation: the parameters as they are at the end of the log
  output_error,    ///< the simulated motion is the measured one; short logs
  energy,          ///< the work of all joints over windows: no accelerations
  direct_inverse,  ///< columns along the motion that the loop makes in simulation; short logs
};
/// Ordinary or weighted: from the evidence alone, in constant memory.
bool by_least_squares(Estimator kind);
/// Whether it takes columns that are linearized about an estimate (load_friction.hpp): not those that simulate the arm or sum up energies.
bool takes_loads(Estimator kind);

struct EstimatorSettings {
  double forgetting = 1;  // of `recursive`
};

/// Throws Error where a log has gaps or is too long for estimators that simulate it. One pass over the log.
void refuse_unsimulable(const TorqueModel& model, const MotionSource& source, const Processing& processing);

/// Throws Error where the log lacks what this kind needs, or is too long for it.
Estimate estimate_by(Estimator kind, const EstimatorSettings& settings, const TorqueModel& model,
                     const MotionSource& source, const Processing& processing, const Evidence& evidence);

}  // namespace armature::identification
