// Campaigns: runs a second, by each engine and beside MuJoCo.
#pragma once

#include "armature/rooms.hpp"

namespace armature::bench {

using namespace rooms;

/// Prints runs a second of closed loops of rrr, one second at 1 kHz with friction and noise, on all cores. Returns 1 where lockstep is
/// less than four times as fast as threads that simulate each run.
int campaign_table();

}  // namespace armature::bench
