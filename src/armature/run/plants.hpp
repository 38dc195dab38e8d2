// The plant that a scenario describes, and the loop around it.
#pragma once

#include "armature/run/loaded_scenario.hpp"
#include "armature/simulation/loop.hpp"

namespace armature {

Plant plant_of(const LoadedScenario& loaded, Composition& composition);
LoopSettings loop_of(const LoadedScenario& loaded, bool hybrid);

}  // namespace armature
