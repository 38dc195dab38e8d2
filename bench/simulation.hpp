// How fast machines are simulated.
#pragma once

#include "armature/rooms.hpp"

namespace armature::bench {

using namespace rooms;

/// Registers one step of a freely moving arm, here and in MuJoCo, with integrators of the same order.
void add_steps();

/// Prints how many times faster than real time whole machines run, beside what is asked for. The number of rows that fall short.
int real_time_table();

}  // namespace armature::bench
