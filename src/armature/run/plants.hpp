// The plant that a scenario describes, and the loop around it.
#pragma once

#include "armature/run/loaded_scenario.hpp"
#include "armature/simulation/loop.hpp"

namespace armature::run {

/// With the end stops of the joints where `stops_at` says at which q it starts.
Plant plant_of(const LoadedScenario& loaded, Composition& composition, const VecX<double>* stops_at = nullptr);
LoopSettings loop_of(const LoadedScenario& loaded, bool hybrid);

}  // namespace armature::run
