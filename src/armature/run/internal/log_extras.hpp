// What a log gets beside the channels of the loop: the tool's reference.
#pragma once

#include "armature/model/arm.hpp"
#include "armature/record/log.hpp"
#include "armature/simulation/loop.hpp"

namespace armature::run {

/// tool_x_ref to tool_qz_ref, accelerations a1_ref.., and the wanted wrench where one is wanted.
void add_reference_channels(Log& log, const Arm& arm, const ReferenceSource& reference, bool wrench);

}  // namespace armature::run
