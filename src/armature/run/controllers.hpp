// The control law of a scenario, with what stands around it.
#pragma once

#include "armature/control/controller.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature::run {

/// The law with its switches, observer, guard and collision watch.
AnyController controller_of(const LoadedScenario& loaded);

}  // namespace armature::run
