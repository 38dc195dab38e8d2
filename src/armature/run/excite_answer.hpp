// What the design of an excitation answers a program, as JSON: the verb with --json, and the C interface.
#pragma once

#include <string>
#include <vector>

#include "armature/identification/excitation.hpp"

namespace armature::run {

/// The motion with all its coefficients, and what it uses of the limits. `seconds`: how long the design took.
std::string excitation_json(const ExcitationTask& task, const Excitation& excitation, double seconds,
                            const std::vector<std::string>& warnings);

}  // namespace armature::run
