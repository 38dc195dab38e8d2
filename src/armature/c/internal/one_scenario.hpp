// The scenario that a caller means.
#pragma once

#include "armature/c/internal/settings.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature::c {

/// `scenario` is a file, or its text where `folder` is not null (where files that it names are looked for); `settings` replace its own, and of several cases
/// `case` among them names one. Throws Error where there is none.
LoadedScenario one_scenario(const char* scenario, const char* folder, SettingPairs settings);

}  // namespace armature::c
