// The names of the program stand in armature::app, where those of all rooms of the library and of the studies are found.
#pragma once

#include "armature/rooms.hpp"

namespace armature::studies {}

namespace armature::app {
using namespace rooms;
using namespace studies;
}  // namespace armature::app
