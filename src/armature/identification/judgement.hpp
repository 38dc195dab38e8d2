// Whether a log was explained: one judgement for every estimator, joint by joint.
#pragma once

#include "armature/core/error.hpp"
#include "armature/identification/identify.hpp"

namespace armature::identification {

/// A fit that stopped before it was at its minimum.
class NotConverged : public Error {
  using Error::Error;
};

/// Throws NotConverged where the physically consistent fit did not reach its minimum, and Error where a number is missing, where a joint is
/// not explained, where no body moves like this, or where a joint is explained badly and a fault of the log is found that is the reason
/// (diagnosis.hpp). Where all that is wrong is noise that a lower cut-off removes, returns that [Hz] if it may be lowered.
/// `description_counts`: a log that contradicts the described inertia is looked at, too.
std::optional<double> judge(const Arm& arm, const MotionSource& source, Identification& result, bool may_lower_cutoff,
                            bool description_counts);

}  // namespace armature::identification
