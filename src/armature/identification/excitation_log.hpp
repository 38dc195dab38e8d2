// A designed motion as a table that a robot can play.
#pragma once

#include "armature/identification/excitation.hpp"
#include "armature/identification/excitation_path.hpp"
#include "armature/record/log.hpp"

namespace armature::identification {

/// q, v, a and the expected torques, from rest to rest, `rate` rows per second.
Log playable_log(const Arm& arm, const ExcitationPath& path, const Excitation& excitation, double rate, int periods);

}  // namespace armature::identification
