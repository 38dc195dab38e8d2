// The control law that a scenario names.
#pragma once

#include "armature/control/controller.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature {

AnyController controller_of(const LoadedScenario& loaded);

}  // namespace armature
