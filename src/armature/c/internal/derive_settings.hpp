// How long to search when functions are derived.
#pragma once

#include "armature/c/internal/settings.hpp"

namespace armature::c {

/// The setting `effort`. Throws Error where it is out of range.
double effort_of(const SettingPairs& pairs);

}  // namespace armature::c
