// The inputs of a scenario, made ready for a loop.
#pragma once

#include "armature/run/loaded_scenario.hpp"
#include "armature/simulation/loop.hpp"

namespace armature::run {

/// Throws FormatError at the place of a setting that does not fit the arm, its motors or the tick.
LoopInputs inputs_of(const LoadedScenario& loaded, const PlantDescription& plant);

/// Throws FormatError where an input acts on a reference that the law does not read.
void check_inputs(const LoadedScenario& loaded, const Needs& needs);

/// The reference with what the inputs add to it.
ReferenceSource with_inputs(ReferenceSource reference, const LoopInputs& inputs);

}  // namespace armature::run
