// A small picture of an arm in motion, for an index of pages.
#pragma once

#include "armature/record/log.hpp"
#include "armature/rooms.hpp"

namespace armature::report {

/// The path of the tool, and the arm at the beginning, in the middle and at the end, as the page's view sees them; without series where
/// the log has no arm or lacks a channel of it. Its name is "arm", by which web/src/arm_picture.ts draws it as one.
Figure arm_picture(const Log& log);

}  // namespace armature::report
