// One tick of every control law.
#pragma once

#include <string>

#include "armature/rooms.hpp"

namespace armature::bench {

using namespace rooms;

/// Adds the benchmarks "tick of a control law/LAW, ARM/Armature" for a built-in arm: what a law computes between reading the sensors
/// and writing the torques, parts and status included.
void add_laws(const std::string& arm);

}  // namespace armature::bench
