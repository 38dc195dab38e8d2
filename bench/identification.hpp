// How fast a log becomes parameters.
#pragma once

namespace armature::bench {

/// Prints the time of identifying seven joints from a minute at 1 kHz, beside what is asked for. The number of rows that fall short.
int identification_table();

}  // namespace armature::bench
