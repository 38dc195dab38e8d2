// How fast a log becomes parameters, in how much memory, and how fast the motion for it is designed.
#pragma once

#include "armature/rooms.hpp"

namespace armature::bench {

using namespace rooms;

/// Prints each beside what is asked for. The number of lines that fall short.
int identification_table();

}  // namespace armature::bench
