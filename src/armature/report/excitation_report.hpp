// The page of a motion for identification.
#pragma once

#include "armature/identification/excitation.hpp"
#include "armature/record/report.hpp"

namespace armature::report {

/// The motion, what it shows of each parameter, and how near it comes to the limits. `log`: the
/// motion as it is played.
Report excitation_report(const ExcitationTask& task, const Excitation& excitation, Log log);

}  // namespace armature::report
