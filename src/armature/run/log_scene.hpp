// The arm in a log of somebody else's making.
#pragma once

#include <string>

#include "armature/formats/log_map.hpp"
#include "armature/model/arm.hpp"
#include "armature/record/log.hpp"

namespace armature::run {

/// Lets the positions in the log move the arm on its page (simulation/scene.hpp). The map says which columns they are, the names of
/// the columns where it says nothing. Where they are not those of the joints in rad or m, channels q1, q2, ... that are join the log. Throws
/// FormatError that names `file` where the positions are not found or have units of something else.
void add_measured_scene(Log& log, const Arm& arm, const LogMap& map, const std::string& file);

}  // namespace armature::run
